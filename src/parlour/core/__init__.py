"""Words that all layers share: Game, Position, Player, Intent, Event, Outcome, Foul."""
