"""Indices of DumbBot's constants in the array that its kernel takes, and its sizes."""

SPRING_ATTACK = 0
SPRING_DEFENCE = 1
FALL_ATTACK = 2
FALL_DEFENCE = 3
HELP = 4
DETER = 5
DANGER = 6
STRAY = 7
GAP = 8
NEUTRAL = 9
STANDING = 10
STAY = 11
REMOVAL = 12
ONE_DRAW = 13
SPRING_WEIGHTS = 16
FALL_WEIGHTS = 32
DIALS = 48

# Provinces that an order set has room for.
ROOM = 96
