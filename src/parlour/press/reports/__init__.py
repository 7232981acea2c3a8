"""A ledger for people and programs: sentences, summaries, metrics, plots."""
