"""The words of the protocol under the names that the `diplomacy` package and its fork give them."""

from __future__ import annotations

from parlour.core.intents import Ballot, CommStatus
from parlour.net.mila import protocol_values
from parlour.net.mila.protocol_values import GameStatus, Grade, GradeUpdate, PhaseKind, SeatedAs

# Roles that are not powers, and the names for nobody and for all
OBSERVER_TYPE, OMNISCIENT_TYPE, MASTER_TYPE = (
    protocol_values.OBSERVER,
    protocol_values.OMNISCIENT,
    protocol_values.MASTER,
)
DUMMY, GLOBAL = protocol_values.DUMMY, protocol_values.GLOBAL

# Readiness to talk
INACTIVE, BUSY, READY = CommStatus.INACTIVE, CommStatus.BUSY, CommStatus.READY

# Player types
HUMAN, NO_PRESS_BOT, PRESS_BOT = SeatedAs.HUMAN, SeatedAs.NO_PRESS_BOT, SeatedAs.PRESS_BOT
NONE = SeatedAs.NONE

# Statuses of a game
FORMING, ACTIVE, PAUSED = GameStatus.FORMING, GameStatus.ACTIVE, GameStatus.PAUSED
COMPLETED, CANCELED = GameStatus.COMPLETED, GameStatus.CANCELED

# Votes on a draw
YES, NO, NEUTRAL = Ballot.YES, Ballot.NO, Ballot.NEUTRAL

# Grades
OMNISCIENT, ADMIN, MODERATOR = Grade.OMNISCIENT, Grade.ADMIN, Grade.MODERATOR
PROMOTE, DEMOTE = GradeUpdate.PROMOTE, GradeUpdate.DEMOTE

# Kinds of phase updates
STATE_HISTORY, STATE, PHASE = PhaseKind.STATE_HISTORY, PhaseKind.STATE, PhaseKind.PHASE

ALL_COMM_STATUSES = tuple(CommStatus)
ALL_PLAYER_TYPES = tuple(SeatedAs)
ALL_GAME_STATUSES = tuple(GameStatus)
ALL_VOTE_DECISIONS = frozenset(Ballot)
ALL_GRADES = frozenset(Grade)
ALL_GRADE_UPDATES = frozenset(GradeUpdate)
ALL_STATE_TYPES = frozenset(PhaseKind)


def role_is_special(role: str) -> bool:
    """Return True if the role is that of an observer, omniscient or not."""
    return role in protocol_values.SPECIAL_ROLES
