"""The published agents: golden data and an oracle."""
