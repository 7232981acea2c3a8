"""Pages: a browser, records and a server."""
