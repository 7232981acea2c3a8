"""The parts of the mutation check: what is changed, which tests reach it, and how a change is tried."""
