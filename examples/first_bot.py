"""A bot in eight lines, and a match against one that ships. Run it: python examples/first_bot.py"""

from parlour import Match, Terms, View, fish, play
from parlour.agents import make_agent
from parlour.referee.conduct import STRICT


class FirstBot:
    """Goes to the tile with the most fish."""

    def act(self, view: View) -> object:
        rows = view.position.encode()["board"]
        choices = view.position.legal(view.seat)  # placements [row, col], later moves [[row, col], [row, col]]
        ends = [choice[1] if isinstance(choice[0], list) else choice for choice in choices]
        return max(zip(choices, ends, strict=True), key=lambda pair: rows[pair[1][0]][pair[1][1]])[0]


if __name__ == "__main__":
    match = Match(fish.GAME, {"players": 2}, Terms(conduct=STRICT), seed=1)
    red, white = fish.GAME.seats(match.config)
    outcome = play(match, {red: FirstBot(), white: make_agent("fish", "random", 2)})
    print(match.position)
    print(f"{outcome.winners[0]} wins: {outcome.scores}")
