"""The parts of parlour join that take a seat at a server, one for each protocol."""
