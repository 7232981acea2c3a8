"""The places where matches are played: processes on this machine, or a Ray cluster. Only the driver writes."""
