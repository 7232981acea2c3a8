"""A bot for any DAIDE server: holds, disbands, waives and removes. Run: python daide_holdbot.py HOST PORT [NAME]"""

import socket
import struct
import sys

OPEN, SHUT, WINTER, MRT = 0x4000, 0x4001, 0x4704, 0x4904
NME, MAP, HLO, NOW, SUB, MIS, YES, OFF = 0x480C, 0x4809, 0x4804, 0x480E, 0x4818, 0x480B, 0x481C, 0x4810
HLD, DSB, REM, WVE = 0x4322, 0x4340, 0x4381, 0x4382


def send(server, kind, *tokens):
    server.sendall(struct.pack(f">BBH{len(tokens)}H", kind, 0, 2 * len(tokens), *tokens))


def order(units, what):
    return [token for unit in units for token in (OPEN, OPEN, *unit, SHUT, what, SHUT)]


def groups(tokens):
    found, depth = [], 0  # what stands in the outer brackets, one list for each pair
    for token in tokens:
        depth -= token == SHUT
        if token == OPEN and not depth:
            found.append([])
        elif depth:
            found[-1].append(token)
        depth += token == OPEN
    return found


def play(host, port, name="HoldBot"):
    server, units = socket.create_connection((host, port)), []
    send(server, 0, 1, 0xDA10)
    while True:
        kind, _, length = struct.unpack(">BBH", server.recv(4, socket.MSG_WAITALL) or b"\3\0\0\0")
        tokens = struct.unpack(f">{length // 2}H", server.recv(length, socket.MSG_WAITALL) if length else b"")
        if kind == 1:
            send(server, 2, NME, OPEN, *(0x4B00 | ord(sign) for sign in name), SHUT, OPEN, 0x4B31, SHUT)
        elif kind != 2 or tokens[0] == OFF:
            return print("done")
        elif tokens[0] == MAP:
            send(server, 2, YES, OPEN, *tokens, SHUT)
        elif tokens[0] == HLO:
            me = tokens[2]
        elif tokens[0] == NOW:
            units = [unit for unit in groups(tokens[1:])[1:] if unit[0] == me]
            fled = [unit[: unit.index(MRT)] for unit in units if MRT in unit]
            if tokens[2] == WINTER:
                send(server, 2, MIS)
            elif fled or (units and tokens[2] in (0x4700, 0x4702)):
                send(server, 2, SUB, *(order(fled, DSB) or order(units, HLD)))
        elif tokens[0] == MIS and len(tokens) == 4:  # how many to remove, or below zero to build
            waived = (OPEN, me, WVE, SHUT) * (0x4000 - tokens[2] if tokens[2] & 0x2000 else 0)
            send(server, 2, SUB, *(waived or order(units[: tokens[2]], REM)))


if __name__ == "__main__":
    play(sys.argv[1], int(sys.argv[2]), *sys.argv[3:4]) if sys.argv[2:] else print(__doc__)
