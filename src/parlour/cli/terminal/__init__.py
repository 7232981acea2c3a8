"""The terminal and the process: how we were called, stopping in time, input, families of verbs."""
