"""The ways to train, one command each, and the options that they share."""
