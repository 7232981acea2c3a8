"""Fish: positions, an oracle, wires and a simulated world."""
