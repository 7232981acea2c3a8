"""Players of Fish, and the adapters for the two in-process player interfaces."""
