"""Results on a terminal or a page: bars, lines, live tables, standings, logs."""
