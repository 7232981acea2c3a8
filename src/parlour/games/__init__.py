"""The rules. Pure: no I/O, no clock, no global randomness."""
