"""The reports of a tournament: standings, sheets, pages, spectators."""
