"""Options that several verbs share, and readers of their values."""
