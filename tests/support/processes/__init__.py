"""Processes that are started, forked and killed."""
