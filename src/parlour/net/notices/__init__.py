"""Notices by push or mail to people whom a match waits for, if they asked for them."""
