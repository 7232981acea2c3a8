"""Training of the published network: imitation of recorded play, and improvement by sampled best responses."""
