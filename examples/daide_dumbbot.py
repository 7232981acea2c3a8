"""David Norman's DumbBot for any DAIDE server and map. Run: python daide_dumbbot.py HOST PORT [NAME] [SEED]

It values every place by the supply centres near it, goes where the value is high, and supports where others compete.
Places are (province, kind, coast): what a unit there is and, where a province has several coasts, on which it lies.
"""

import random
import socket
import struct
import sys
from itertools import pairwise

OPEN, SHUT, AMY, FLT, UNO, MRT = 0x4000, 0x4001, 0x4200, 0x4201, 0x490B, 0x4904
MTO, HLD, SUP, DSB, RTO, BLD, REM, WVE = 0x4323, 0x4322, 0x4324, 0x4340, 0x4341, 0x4380, 0x4381, 0x4382
HLO, MAP, MDF, NME, NOW, OFF, SCO, SUB, YES = 0x4804, 0x4809, 0x480A, 0x480C, 0x480E, 0x4810, 0x4815, 0x4818, 0x481C
SPRING, SUMMER, FALL, AUTUMN, WINTER = range(0x4700, 0x4705)
IN_SPRING = (100, 1000, 30, 10, 6, 5, 4, 3, 2, 1)
IN_FALL = (1000, 100, 30, 10, 6, 5, 4, 3, 2, 1)


def nested(tokens):
    """Return tokens with nested lists for their brackets."""
    stack = [[]]
    for token in tokens:
        if token == OPEN:
            stack.append([])
        elif token == SHUT:
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(token)
    return stack[0]


def flat(parts):
    """Yield the tokens of nested lists, with brackets."""
    for part in parts:
        if isinstance(part, (list, tuple)):
            yield from (OPEN, *flat(part), SHUT)
        else:
            yield part


def node(kind, place):
    """Return the node of a unit: its province, its kind, and the coast if the server names one."""
    return (place[0], kind, place[1]) if isinstance(place, list) else (place, kind, 0)


def spoken(at):
    """Return a node's place as the server writes it."""
    return [at[0], at[2]] if at[2] else at[0]


class Board:
    """The map, from the MDF message."""

    def __init__(self, powers, provinces, borders):
        self.powers = [*powers, UNO]
        self.homes = {power[0]: power[1:] for power in provinces[0] if not isinstance(power[0], list)}
        self.centres = {centre for power in provinces[0] for centre in power[1:]}
        self.near = {}
        for province, *ways in borders:
            for kind, *places in ways:
                kind, coast = kind if isinstance(kind, list) else (kind, 0)
                self.near[province, kind, coast] = [node(kind, place) for place in places]


class Values:
    """The value of every place to a power, in a season."""

    def __init__(self, board, owned, units, me, season):
        self.near = {power: dict.fromkeys([at[0] for at in board.near], 0) for power in board.powers}
        for power, at in units:
            self.near[power][at[0]] += 1
            for there in board.near[at]:
                self.near[power][there[0]] += 1
        others = [power for power in board.powers if power != me]
        self.strength = self.near[me]
        self.competition = {at[0]: max(self.near[power][at[0]] for power in others) for at in board.near}
        size = {power: (n := len(owned.get(power, ()))) * n + 4 * n + 16 for power in board.powers}
        owner = {centre: power for power, centres in owned.items() for centre in centres}
        attack, self.defence = {}, dict.fromkeys([at[0] for at in board.near], 0)
        for centre in board.centres:
            if owner.get(centre, UNO) == me:
                comers = [size[power] for power, at in units if any(to[0] == centre for to in board.near[at])
                          and power != me]  # fmt: skip
                self.defence[centre] = max(comers, default=0)
            else:
                attack[centre] = size[owner.get(centre, UNO)]
        by_attack, by_defence = (600, 400) if season in (FALL, AUTUMN) else (700, 300)
        near = {at: attack.get(at[0], 0) * by_attack + self.defence[at[0]] * by_defence for at in board.near}
        weights = IN_SPRING if season in (SPRING, SUMMER) else IN_FALL
        self.at = {at: value * weights[0] for at, value in near.items()}
        for weight in weights[1:]:
            near = {at: (near[at] + self._around(board.near[at], near)) // 5 for at in near}
            for at, value in near.items():
                self.at[at] += value * weight
        for at in self.at:
            if season == WINTER:
                self.at[at] += 1000 * self.defence[at[0]]
            else:
                self.at[at] += 1000 * (self.strength[at[0]] - self.competition[at[0]])

    @staticmethod
    def _around(places, near):
        best = {}
        for there in places:
            best[there[0]] = max(best.get(there[0], 0), near[there])
        return sum(best.values())


class DumbBot:
    """The state of the game as the bot sees it, and the bot's orders."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.me = self.board = None
        self.owned, self.units, self.fled = {}, [], []

    def pick(self, worth):
        """Return one of the best keys; the next one is taken with a probability that falls with the gap to it."""
        ranked = sorted(worth, key=worth.get, reverse=True)
        for here, after in pairwise(ranked):
            gap = abs((worth[here] - worth[after]) * 500 // worth[here]) if worth[here] else 0
            if self.chance.randrange(100) >= 50 or self.chance.randrange(100) < gap:
                return here
        return ranked[-1]

    def orders(self, season):
        """Return all orders of a turn, each as nested lists."""
        self.values = Values(self.board, self.owned, self.units, self.me, season)
        if season in (SPRING, FALL):
            return self.moves()
        return self.retreats() if season in (SUMMER, AUTUMN) else self.adjustments()

    def unit(self, at):
        return [self.me, at[1], spoken(at)]

    def moves(self):
        queue = [at for power, at in self.units if power == self.me]
        self.chance.shuffle(queue)
        done, goals, tries = {}, {}, {}  # the order of each unit; who goes where; how often a unit was put back
        standing = {at[0]: at for at in queue}
        while queue:
            at = queue.pop(0)
            worth = {there: self.values.at[there] for there in self.board.near[at]}
            worth[at] = self.values.at[at] + 1
            while at not in done and at not in queue:
                goal = self.pick(worth)
                friend = standing.get(goal[0])
                if goal[0] == at[0]:
                    done[at] = [self.unit(at), HLD]
                elif goal[0] in goals:
                    if self.values.competition[goal[0]] > 0:
                        done[at] = self.help(at, goals[goal[0]], goal[0])
                    else:
                        del worth[goal]
                elif friend in queue and tries.get(at, 0) < 5:
                    tries[at] = tries.get(at, 0) + 1
                    queue.insert(queue.index(friend) + 1, at)
                elif friend is not None and friend in done and friend not in goals.values():
                    if self.values.competition[goal[0]] > 1:
                        done[at] = self.help(at, friend)
                    else:
                        del worth[goal]
                else:
                    done[at], goals[goal[0]] = [self.unit(at), MTO, spoken(goal)], at
        return [self.idle(at, order, standing, goals) for at, order in done.items()]

    def help(self, at, friend, goal=None):
        return [self.unit(at), SUP, self.unit(friend), *([] if goal is None else [MTO, goal])]

    def idle(self, at, order, standing, goals):
        """Return the order of a unit that would only hold: it supports the most valuable order that it can."""
        best, choice = 0, order
        for there in self.board.near[at] if order[1] == HLD else ():
            province, friend = there[0], standing.get(there[0])
            competition, value = self.values.competition[province], self.values.at[there]
            if province in goals and competition > 0 and value > best:
                best, choice = value, self.help(at, goals[province], province)
            elif friend and friend not in goals.values() and province not in goals and competition > 1 and value > best:
                best, choice = value, self.help(at, friend)
        return choice

    def retreats(self):
        fled = [(at, ways) for power, at, ways in self.fled if power == self.me]
        self.chance.shuffle(fled)
        found, taken = [], set()
        for at, ways in fled:
            worth = {to: self.values.at[to] for to in ways if to[0] not in taken}
            goal = self.pick(worth) if worth else None
            taken.add(goal and goal[0])
            found.append([self.unit(at), DSB] if goal is None else [self.unit(at), RTO, spoken(goal)])
        return found

    def adjustments(self):
        own = [at for power, at in self.units if power == self.me]
        due = len(self.owned.get(self.me, ())) - len(own)
        if due < 0:
            worth = {at: -self.values.at[at] for at in own}
            gone = []
            for _ in range(-due):
                gone.append(self.pick(worth))
                del worth[gone[-1]]
            return [[self.unit(at), REM] for at in gone]
        empty = {*self.board.homes.get(self.me, ())} & {*self.owned.get(self.me, ())} - {at[0] for _, at in self.units}
        worth = {at: value for at, value in self.values.at.items() if at[0] in empty}
        found = []
        for _ in range(due):
            if not worth:
                found.append([self.me, WVE])
                continue
            at = self.pick(worth)
            found.append([self.unit(at), BLD])
            worth = {other: value for other, value in worth.items() if other[0] != at[0]}
        return found

    def now(self, season, units):
        """Store the position, and return the orders for it."""
        standing = [unit for unit in units if len(unit) == 3]
        self.units = [(power, node(kind, place)) for power, kind, place in standing]
        self.fled = [
            (power, node(kind, place), [node(kind, way) for way in ways])
            for power, kind, place, _, ways in (unit for unit in units if len(unit) == 5)
        ]
        return self.orders(season)


def send(server, kind, *tokens):
    server.sendall(struct.pack(f">BBH{len(tokens)}H", kind, 0, 2 * len(tokens), *tokens))


def play(host, port, name="DumbBot", seed=None):
    bot, last, over = DumbBot(seed), (), False
    server = socket.create_connection((host, int(port)))
    server.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    send(server, 0, 1, 0xDA10)
    while True:
        kind, _, length = struct.unpack(">BBH", server.recv(4, socket.MSG_WAITALL) or b"\3\0\0\0")
        tokens = struct.unpack(f">{length // 2}H", server.recv(length, socket.MSG_WAITALL) if length else b"")
        if kind == 1:
            send(server, 2, *flat((NME, [0x4B00 | ord(sign) for sign in name], [0x4B31])))
            continue
        if kind != 2 or tokens[0] == OFF:
            return print("done")
        parts = nested(tokens[1:])
        if tokens[0] == MAP:
            last = tokens
            send(server, 2, MDF)
        elif tokens[0] == MDF:
            bot.board = Board(*parts)
            send(server, 2, YES, OPEN, *last, SHUT)
        elif tokens[0] == HLO:
            bot.me = parts[0][0]
        elif tokens[0] == SCO:
            bot.owned = {owner: centres for owner, *centres in parts}
        elif tokens[0] in (0x4801, 0x4816):  # DRW and SLO: the NOW after them wants no orders
            over = True
        elif tokens[0] == NOW and not over and (orders := bot.now(parts[0][0], parts[1:])):
            send(server, 2, SUB, *flat(orders))


if __name__ == "__main__":
    play(*sys.argv[1:]) if sys.argv[2:] else print(__doc__)
