"""Watch, replay and play in a browser: static files, and what is told to them. Nothing is built."""
