"""Sends requests to addresses that strangers name: only to public hosts, over TLS, and bounded in size and time."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from parlour.errors import Unreachable
from parlour.net.permission_errors import bad_value

LONGEST = 600
"""Maximum characters of an address."""
TIMEOUT = 10.0
"""Maximum seconds for a whole request: name lookup, connection, handshake, answer."""
_LINE = 1024
_TRANSLATED = tuple(map(ipaddress.ip_network, ("64:ff9b::/32", "2002::/16", "2001::/32", "::ffff:0:0/96", "::/96")))
"""IPv6 networks whose addresses stand for IPv4 addresses, which may be private."""


class Outside:
    """Sends requests to addresses that strangers name."""

    def __init__(self, *, local: bool = False, timeout: float = TIMEOUT) -> None:
        """Make a sender. With `local`, private addresses and plain HTTP are allowed: for tests and closed networks."""
        self._local, self._timeout = local, timeout

    def check(self, url: str) -> str:
        """Return the origin of an address; raise Denied if no request may be sent to it."""
        try:
            parts = urlsplit(url if len(url) <= LONGEST and url.isascii() and url.isprintable() else "")
            port = parts.port
        except ValueError:  # an unclosed bracket, or a port number that is too large
            parts, port = urlsplit(""), None
        schemes = ("https", "http") if self._local else ("https",)
        plain = not (parts.username or parts.password or parts.fragment) and " " not in url
        if parts.scheme not in schemes or not parts.hostname or not plain or port == 0:
            raise bad_value("endpoint: expected an https address", field="endpoint")
        if not self._local and (port not in (None, 443) or _is_literal(parts.hostname)):
            raise bad_value("endpoint: expected the name of a host, and no port", field="endpoint")
        return f"{parts.scheme}://{parts.netloc}"

    async def post(self, url: str, headers: Mapping[str, str]) -> int:
        """Send an empty POST; return the status of the answer. Raise Unreachable if none comes in time."""
        self.check(url)
        try:
            async with asyncio.timeout(self._timeout):
                return await self._post(url, headers)
        except TimeoutError:
            raise Unreachable(f"no answer within {self._timeout:g} s") from None
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:
            raise Unreachable(f"no answer: {error!s:.100}") from None

    async def _post(self, url: str, headers: Mapping[str, str]) -> int:
        parts = urlsplit(url)
        host, secure = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        address = await self._resolve(host, port)
        # The connection goes to the checked address, so that a name that changes meanwhile has no effect.
        tls = ssl.create_default_context() if secure else None
        reader, writer = await asyncio.open_connection(
            address, port, ssl=tls, server_hostname=host if secure else None, limit=_LINE
        )
        try:
            lines = {"Host": parts.netloc, "Content-Length": "0", "Connection": "close", **headers}
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
            writer.write(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode("ascii"))
            await writer.drain()
            version, status = (await reader.readline()).split(b" ", 2)[:2]
            if not version.startswith(b"HTTP/1.") or not status.isdigit() or len(status) != 3:
                raise ValueError("not HTTP")
            return int(status)
        finally:
            writer.close()

    async def _resolve(self, host: str, port: int) -> str:
        """Return an address of a host; raise OSError if it has none, or one that is not public."""
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=1)
        addresses = [str(entry[4][0]) for entry in found]
        if not addresses or not (self._local or all(map(is_public, addresses))):
            raise OSError("the host has no public address")
        return addresses[0]


def is_public(address: str) -> bool:
    """Return True for a public address; False also for an IPv6 address that stands for an IPv4 one."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if parsed.version == 6 and any(parsed in network for network in _TRANSLATED):
        return False
    return parsed.is_global and not parsed.is_multicast and not parsed.is_reserved


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "." not in host or host.rpartition(".")[2].isdigit()
    return True
