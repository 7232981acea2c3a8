"""One match as a value: what is played, on which terms, from which seed, by whom; played and resumed from that."""
