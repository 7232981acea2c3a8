"""Watch, replay and play in a browser: static files, and the messages that they receive. Nothing is built."""
