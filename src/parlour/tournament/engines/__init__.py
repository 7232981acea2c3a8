"""Where the matches of a tournament are played: processes on this machine, or a Ray cluster. Only the driver writes."""
