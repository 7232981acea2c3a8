"""All doors of one server at once."""
