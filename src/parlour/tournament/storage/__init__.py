"""The storage of tournaments, and reading, exporting and querying records."""
