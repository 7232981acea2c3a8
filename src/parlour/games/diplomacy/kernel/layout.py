"""Numbers that the kernel works with; codes.py names them for everyone else. layout.pxd has the same for C."""

# Where things lie in a state.
STATE = 512
SEASON = 0
STATUS = 1
YEAR = 2
WINNER = 4
LAST_YEAR = 6
BUILDS = 16
UNITS = 32
OWNERS = 128
DISLODGED = 224
ORIGINS = 320
INFLUENCE = 416

# The parts of a unit byte, and the mark of a contested province among DISLODGED.
POWER_MASK = 15
FLEET = 16
COAST_SHIFT = 5
CONTESTED = 128

# Order kinds.
CONVOY_TO = 1
CONVOY = 2
HOLD = 3
MOVE_TO = 4
SUPPORT_HOLD = 5
SUPPORT_MOVE_TO = 6
DISBAND = 8
RETREAT_TO = 9
BUILD_ARMY = 10
BUILD_FLEET = 11
REMOVE = 12
WAIVE = 13

# Seasons.
SPRING_MOVES = 0
SPRING_RETREATS = 1
AUTUMN_MOVES = 2
AUTUMN_RETREATS = 3
WINTER = 4

# Verdicts and the marks added to them.
VERDICT_MASK = 15
SUCCEEDED = 1
BOUNCED = 2
CUT = 3
VOID = 4
NO_CONVOY = 5
DISRUPTED = 6
DISBANDED = 7
MARK_DISLODGED = 16
MARK_DESTROYED = 32
MARK_PARADOX = 64
MARK_DEFAULT = 128

# Reasons to ignore an action.
FINE = 0
NOT_IN_TABLE = 1
WRONG_PHASE = 2
NO_UNIT = 3
NOT_YOURS = 4
SECOND_ORDER = 5
OUT_OF_REACH = 6
NO_TARGET = 7
UNREACHABLE_BY_THIRD = 8
NO_ROUTE = 9
WRONG_TYPE = 10
OCCUPIED = 11
IS_CONTESTED = 12
ATTACKER_CAME_FROM = 13
NOT_A_HOME = 14
TOO_MANY = 15

# Longest year that a phase name can carry.
MAX_YEAR = 9999
