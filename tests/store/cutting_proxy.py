"""A way to a server that breaks at the worst moment: just before or just after a given message arrived there."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from typing import Self


class CuttingProxy:
    """Passes bytes on to a port; when armed, cuts at the next message from the client that contains the word."""

    def __init__(self, port: int, word: bytes) -> None:
        self._target = port
        self._word = word
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.port: int = self._listener.getsockname()[1]
        self.cut_before = False
        self.cut_after = False
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop_listening()
        for pair in self._pairs:
            _close(*pair)

    def stop_listening(self) -> None:
        """From now on nobody gets through any more who is not through already."""
        _close(self._listener)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._pairs.append((client, server))
                threading.Thread(target=self._from_client, args=(client, server), daemon=True).start()
                threading.Thread(target=_pass_on, args=(server, client), daemon=True).start()

    def _from_client(self, client: socket.socket, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while message := client.recv(65536):
                if self._word in message and (self.cut_before or self.cut_after):
                    self.cuts += 1
                    if self.cut_before:
                        self.cut_before = False
                    else:
                        self.cut_after = False
                        # Nothing that the server answers reaches the client any more; the server hears the message.
                        client.shutdown(socket.SHUT_RDWR)
                        server.sendall(message)
                        server.shutdown(socket.SHUT_WR)
                        while server.recv(65536):
                            pass
                    break
                server.sendall(message)
        _close(client, server)


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while message := source.recv(65536):
            target.sendall(message)


def _close(*ends: socket.socket) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
        end.close()
