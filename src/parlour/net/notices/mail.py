"""Sends mail through the operator's SMTP server: one message at a time, off the loop, with a time limit."""

from __future__ import annotations

import asyncio
import re
import smtplib
import ssl
from collections.abc import Mapping
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import formatdate, make_msgid

import msgspec

from parlour.errors import Unreachable
from parlour.net.permission_errors import bad_value
from parlour.net.threads import on_thread

TIMEOUT = 20.0
"""Maximum seconds to send one message."""
_POLICY = SMTP.clone(max_line_length=900)
"""Long lines, so that links are not broken."""
_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z]{2,63}")


class MailServer(msgspec.Struct, frozen=True):
    """The SMTP server of the operator."""

    host: str
    port: int = 587
    sender: str = ""
    user: str = ""
    password: str = ""
    security: str = "starttls"
    """Encryption of the connection: starttls, tls or none."""


def checked_address(address: str) -> str:
    """Return the text if it is a mail address; raise Denied otherwise."""
    if len(address) > 254 or not _ADDRESS.fullmatch(address):
        raise bad_value("mail: expected an address such as ann@example.org", field="mail")
    return address


class Mailer:
    """Sends mail, one message after the other."""

    def __init__(self, server: MailServer, *, timeout: float = TIMEOUT) -> None:
        self._server, self._timeout = server, timeout
        self._turn = asyncio.Semaphore(1)

    async def send(self, to: str, subject: str, text: str, headers: Mapping[str, str] | None = None) -> None:
        """Send a message; raise Unreachable if the server does not accept it in time."""
        message = EmailMessage(policy=_POLICY)
        message["From"], message["To"] = self._server.sender, checked_address(to)
        message["Subject"] = " ".join(subject.splitlines())  # titles of older stores may have several lines
        message["Date"], message["Message-ID"] = formatdate(), make_msgid(domain=self._server.sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        for name, value in (headers or {}).items():
            message[name] = value
        message.set_content(text)
        async with self._turn:
            try:
                await asyncio.wait_for(on_thread(self._deliver, message), self._timeout)
            except TimeoutError:
                raise Unreachable(f"the mail server took longer than {self._timeout:g} s") from None
            except (OSError, smtplib.SMTPException, ValueError) as error:
                raise Unreachable(f"the mail server did not accept the message: {type(error).__name__}") from None

    def _deliver(self, message: EmailMessage) -> None:
        server = self._server
        secure = ssl.create_default_context()
        if server.security == "tls":
            line: smtplib.SMTP = smtplib.SMTP_SSL(server.host, server.port, timeout=self._timeout, context=secure)
        else:
            line = smtplib.SMTP(server.host, server.port, timeout=self._timeout)
        with line:
            if server.security == "starttls":
                line.starttls(context=secure)
            if server.user:
                line.login(server.user, server.password)
            line.send_message(message)
