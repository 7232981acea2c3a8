"""A bot for any DAIDE server: holds, and waives its builds. Run: python daide_holdbot.py HOST PORT [NAME]"""

import socket
import struct
import sys

OPEN, SHUT = 0x4000, 0x4001
NME, MAP, HLO, NOW, SUB, MIS, YES, OFF = 0x480C, 0x4809, 0x4804, 0x480E, 0x4818, 0x480B, 0x481C, 0x4810
HLD, DSB, REM, WVE, MRT = 0x4322, 0x4340, 0x4381, 0x4382, 0x4904


def send(server, kind, *tokens):
    server.sendall(struct.pack(f">BBH{len(tokens)}H", kind, 0, 2 * len(tokens), *tokens))


def hear(server):
    kind, _, length = struct.unpack(">BBH", server.recv(4, socket.MSG_WAITALL) or b"\3\0\0\0")
    body = server.recv(length, socket.MSG_WAITALL) if length else b""
    return kind, struct.unpack(f">{length // 2}H", body)


def groups(tokens):
    """What stands in the outer brackets, one list for each pair."""
    found, depth = [], 0
    for token in tokens:
        depth -= token == SHUT
        if depth:
            found[-1].append(token)
        elif token == OPEN:
            found.append([])
        depth += token == OPEN
    return found


def text(words):
    return (OPEN, *(0x4B00 | ord(sign) for sign in words), SHUT)


def play(host, port, name="HoldBot"):
    server, me = socket.create_connection((host, port)), None
    send(server, 0, 1, 0xDA10)
    while True:
        kind, tokens = hear(server)
        if kind == 1:
            send(server, 2, NME, *text(name), *text("1"))
        elif kind != 2 or tokens[0] == OFF:
            return me
        elif tokens[0] == MAP:
            send(server, 2, YES, OPEN, *tokens, SHUT)
        elif tokens[0] == HLO:
            me = tokens[2]
        elif tokens[0] == NOW:
            units = [unit for unit in groups(tokens[1:])[1:] if unit[0] == me]
            fled = [unit[: unit.index(MRT)] for unit in units if MRT in unit]
            orders = [(OPEN, OPEN, *unit, SHUT, DSB if fled else HLD, SHUT) for unit in fled or units]
            season = tokens[2]
            if season == 0x4704:  # winter: what is due shows in MIS
                send(server, 2, MIS)
            elif orders and (fled or season in (0x4700, 0x4702)):
                send(server, 2, SUB, *(token for order in orders for token in order))
        elif tokens[0] == MIS and len(tokens) == 4:
            due = tokens[2] - 0x4000 if tokens[2] & 0x2000 else tokens[2]
            waived = (OPEN, me, WVE, SHUT) * -due
            removed = [(OPEN, OPEN, *unit, SHUT, REM, SHUT) for unit in units[: max(0, due)]]
            send(server, 2, SUB, *waived, *(token for order in removed for token in order))


if __name__ == "__main__":
    print(f"played as power {play(sys.argv[1], int(sys.argv[2]), *sys.argv[3:4])}")
