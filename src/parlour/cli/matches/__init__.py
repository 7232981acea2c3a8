"""Matches that a verb hosts here: in a terminal, in the browser, for DAIDE bots, or resumed."""
