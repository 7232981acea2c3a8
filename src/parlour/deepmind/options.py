"""Points on which the published description is silent or was inferred from elsewhere, each a named option.

The defaults are what adapters fitted to the published trajectories do. Fixed, since nothing else is known: phases with
nothing to order are skipped; legal actions are ascending; supports and moves by convoy are listed as far as the fleets
that are there allow.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Choices of observation and payout that the description leaves open."""

    idle_convoys: bool = False
    """Convoys by fleets that no route needs are listed as legal. They may be ordered either way: they do nothing."""
    removals_persist: bool = True
    """Outside builds, build numbers keep the removals of the last builds phase; otherwise they are all 0."""
    skipped_builds_clear: bool = False
    """A builds phase that is skipped clears those numbers; otherwise the last one that took place counts."""
    builds_capped: bool = True
    """Build numbers are at most the free home centres; otherwise centres less units."""
    centre_on_coasts: bool = True
    """The owner of BUL, SPA, STP is shown on all three rows; otherwise on the main one."""
    buildable_on_coasts: bool = True
    """True if a possible build in STP is marked on all three rows; otherwise on the main one."""
    removable_on_main: bool = False
    """True if a removable fleet on a coast is marked on the main row too; otherwise on that coast's alone."""
    solo_takes_all: bool = True
    """A solo pays 1 to the winner; otherwise everyone is paid by centres."""
    draw_by_centres: bool = False
    """A match that stops without a solo pays by centres; otherwise equally among those who own one."""

    @property
    def flags(self) -> int:
        """The options as the kernel takes them."""
        return (
            self.removable_on_main
            | (not self.centre_on_coasts) << 1
            | (not self.buildable_on_coasts) << 2
            | (not self.builds_capped) << 3
            | (not self.removals_persist) << 4
        )


DEFAULT = Options()
