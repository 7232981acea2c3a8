"""The door for pages and the API, as a server declares it: how it is made, what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlour.net.declaration import DoorDeclaration, Premises

if TYPE_CHECKING:
    from parlour.net.doors import ServerDoor
    from parlour.net.notices.notifier import Notifier


def _make(premises: Premises) -> ServerDoor:
    """The API and the pages, beside the websocket of Diplomacy clients."""
    from parlour.net.accounts.limits import RequestLimits
    from parlour.net.doors import HttpDoor
    from parlour.net.http.app import Service, make_app
    from parlour.net.mila.declaration import mila_websocket
    from parlour.web.site import Site

    settings, hall, accounts = premises.settings, premises.hall, premises.accounts
    limits = RequestLimits(settings.requests_per_second, settings.requests_at_once)
    site = Site(hall, accounts, limits=limits, notifier=_notifier(premises))
    service = Service(hall, accounts, settings, connections=premises.connections, limits=limits)
    app = make_app(service, [mila_websocket(premises), *site.routes()])
    return HttpDoor(app, port=settings.http_port, closed=site.close, **premises.http())


def _notifier(premises: Premises) -> Notifier:
    """Return what tells people that a match waits for them, by the means that the settings name."""
    from parlour.net.notices.mail import Mailer, MailServer
    from parlour.net.notices.notifier import Notifier
    from parlour.net.notices.outside import Outside

    settings, mailer = premises.settings, None
    if settings.smtp_host:
        mailer = Mailer(
            MailServer(
                settings.smtp_host,
                settings.smtp_port,
                settings.mail_from,
                settings.smtp_user,
                settings.smtp_password,
                settings.smtp_security,
            )
        )
    contact = f"mailto:{settings.mail_from}" if settings.mail_from else settings.public_url
    notifier = Notifier(
        premises.hall,
        url=settings.public_url,
        mailer=mailer,
        outside=Outside(local=settings.push_local),
        contact=contact,
    )
    premises.hall.spawn(notifier.start())
    return notifier


def _hint(address: str, program: str) -> str:
    socket = f"ws{address.removeprefix('http')}"
    return (
        f"open it in a browser, or curl {address}/api/v1/matches; "
        f"Diplomacy: {program} join {socket} --match ID --power FRANCE --agent broker"
    )


HTTP = DoorDeclaration("http", "http_port", ("http_port",), _make, _hint)
