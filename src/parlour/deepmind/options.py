"""Points on which the published description is silent or was inferred from elsewhere, each a named option.

The defaults are those of adapters that were fitted to the published trajectories. Three points have no option, since
no other form is known. Phases with nothing to order are skipped. Legal actions are ascending. Supports and moves by
convoy are listed if the fleets on the board allow them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Options:
    """Choices of observation and payout that the description leaves open."""

    idle_convoys: bool = False
    """True if convoys by fleets that no route needs are listed. They may be ordered either way, without effect."""
    removals_persist: bool = True
    """True if build numbers outside builds keep the removals of the last builds phase; otherwise they are 0."""
    skipped_builds_clear: bool = False
    """True if a skipped builds phase clears these numbers; otherwise the last builds phase that was played counts."""
    builds_capped: bool = True
    """True if build numbers are at most the number of free home centres; otherwise they are centres less units."""
    centre_on_coasts: bool = True
    """True if the owner of BUL, SPA or STP is shown on all three rows; otherwise only on the main row."""
    buildable_on_coasts: bool = True
    """True if a possible build in STP is marked on all three rows; otherwise only on the main row."""
    removable_on_main: bool = False
    """True if a removable fleet on a coast is also marked on the main row; otherwise only on the row of its coast."""
    solo_takes_all: bool = True
    """True if a solo pays 1 to the winner; otherwise everyone is paid by centres."""
    draw_by_centres: bool = False
    """True if a match without a solo pays by centres; otherwise it pays all owners of a centre equally."""

    @property
    def flags(self) -> int:
        """The options of observations as bits for the kernel."""
        return (
            self.removable_on_main
            | (not self.centre_on_coasts) << 1
            | (not self.buildable_on_coasts) << 2
            | (not self.builds_capped) << 3
            | (not self.removals_persist) << 4
        )


DEFAULT = Options()
