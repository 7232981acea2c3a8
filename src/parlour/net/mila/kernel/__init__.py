"""The hot part of telling: what each who listens is sent of what happened."""
