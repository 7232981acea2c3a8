"""Fish over the course's own protocol: calls [name, [arguments]] and their bare results."""
