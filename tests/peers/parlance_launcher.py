"""Runs bots or the server of Parlance under Jython: parlance_launcher.py FOLDER bots|server PORT [NAME...].

Two things of Jython's sockets differ from those that Parlance was written for, and are mended here: its poll() reports
every socket as invalid, and recv() gives part of what has arrived.
"""

# This file is Python 2 as well as Python 3, so that tools can read it: no annotations.
# mypy: ignore-errors

import _socket
import select
import socket
import sys
import time

folder, what, port, names = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
sys.path[:0] = [folder + "/" + name for name in ("Parlance-1.4.1", "Parang-1.4.1", "setuptools")]
sys.argv = ["parlance"]

del select.poll
_received = _socket._realsocket.recv
PATIENCE = 200.0


def whole(self, count, flags=0):
    """As many bytes as were asked for, once there are any."""
    found = _received(self, count, flags)
    last = time.time() + PATIENCE
    while found and len(found) < count and time.time() < last:
        try:
            found += _received(self, count - len(found), flags)
        except socket.error:  # noqa: UP024 - in Python 2 it is another
            time.sleep(0.01)  # a program of its own lives in real time
    return found


_socket._realsocket.recv = whole

import pkg_resources  # noqa: E402
from parlance.config import Configuration  # noqa: E402
from parlance.main import ThreadManager, run_server  # noqa: E402

Configuration.set_globally("host", "127.0.0.1")
Configuration.set_globally("port", port)
Configuration._args["verbosity"] = 5
if what == "server":
    from parlance.server import Server

    run_server(Server, 5)
else:
    known = dict((entry.name, entry) for entry in pkg_resources.iter_entry_points("parlance.bots"))  # noqa: C402
    threads = ThreadManager()
    for name in names:
        threads.add_client(known[name].resolve())
    threads.run()
