"""Fish over the protocol of the university course CS4500: calls [name, [arguments]] and their bare results."""
