"""A simulated world for stress tests of a hall: time, a store with faults, wires and long-lived connections."""
