"""The same rules for learners: PettingZoo AEC and Parallel, a batched environment."""
