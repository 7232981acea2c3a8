"""Seven bots negotiate and play; then the ledger shows who kept their word: python examples/negotiate.py"""

from parlour import Match, Terms, diplomacy, play
from parlour.agents import make_agent
from parlour.core.terms import PressMode, PressTerms
from parlour.press.judging.findings import PromiseStatus
from parlour.press.ledger import ledger_of
from parlour.press.reports.verdict_text import sentence
from parlour.referee.conduct import DIPLOMACY

BOTS = ("peace", "broker", "reciprocator", "stabber", "yesman", "peace", "broker")

if __name__ == "__main__":
    terms = Terms(conduct=DIPLOMACY, press=PressTerms(PressMode.WINDOW))
    match = Match(diplomacy.GAME, {"last_year": 1904}, terms, seed=4)
    seats = diplomacy.GAME.seats(match.config)
    outcome = play(
        match,
        {seat: make_agent("diplomacy", bot, 4000 + i) for i, (seat, bot) in enumerate(zip(seats, BOTS, strict=True))},
    )
    ledger = ledger_of(match.record)
    print(f"{len(ledger.proposals)} proposals, {len(ledger.pacts.all)} pacts")
    for verdict in ledger.verdicts:
        if verdict.status is PromiseStatus.BROKEN:
            print(sentence(verdict))
    print("first:", ", ".join(outcome.winners))
