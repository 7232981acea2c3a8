"""The hot part of Diplomacy agents: DumbBot's values and draws, and rollouts of many candidates.

The classes stand on the kernel of the rules (games/diplomacy/kernel), whose flat states and judge they use. Orders are
ints here, one for the unit in each province: kind | target << 8 | third << 16 | coast << 24, and 0 for none; an order
set is a row of ROOM such ints, indexed by province. `read_orders` and `write_orders` translate from and to the
published actions.
"""
