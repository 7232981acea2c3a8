"""The hot part of the published agents' world: observations written straight into the caller's arrays."""
