"""The published agents' world: 64-bit actions, observations, MILA names, state, runner."""
