"""Three players with fixed answers to press: silent, yes-man, no-man."""

from __future__ import annotations

from parlour.agents.press.base import PressAgent
from parlour.agents.press.counsel import CounselOptions
from parlour.agents.specs import Recipe
from parlour.core import events as ev
from parlour.errors import PressError
from parlour.games.diplomacy.position import Position
from parlour.press.agreements.proposals import Proposal
from parlour.press.language.tokens import cut


class Silent(PressAgent):
    """A player that understands no press, and answers as a client of level 0 must: HUH with ERR first, and TRY ( )."""

    words = ()

    def _hear(self, said: ev.Said) -> None:
        if said.seat == self.seat or next(iter(cut(said.text[:8])), "") in ("HUH", "PRN", "TRY"):
            return
        nothing = PressError("token 0: expected nothing", index=0, expected="nothing")
        self.complain(said, nothing)


class YesMan(PressAgent):
    """A player that agrees to every proposal that makes sense, and then keeps its pacts if it can."""

    honest = False

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return True."""
        return True


class NoMan(PressAgent):
    """A player that agrees to no proposal."""

    def accepts(self, proposal: Proposal, position: Position) -> bool:
        """Return False."""
        return False


SILENT = Recipe(lambda options, seed: Silent(seed, options.budget), CounselOptions)
YESMAN = Recipe(lambda options, seed: YesMan(seed, options.budget), CounselOptions)
NOMAN = Recipe(lambda options, seed: NoMan(seed, options.budget), CounselOptions)
