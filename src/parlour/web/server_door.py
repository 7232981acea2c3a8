"""The door for pages and the API, made from the settings of a server."""

from __future__ import annotations

from parlour.net.accounts.limits import RequestLimits
from parlour.net.declaration import Premises
from parlour.net.doors import HttpDoor, ServerDoor
from parlour.net.http.app import Service, make_app
from parlour.net.mila.server_door import mila_websocket
from parlour.net.notices.mail import Mailer, MailServer
from parlour.net.notices.notifier import Notifier
from parlour.net.notices.outside import Outside
from parlour.web.site import Site


def make(premises: Premises) -> ServerDoor:
    """Return the door for the API and the pages, beside the websocket of Diplomacy clients."""
    settings, hall, accounts = premises.settings, premises.hall, premises.accounts
    limits = RequestLimits(settings.requests_per_second, settings.requests_at_once)
    site = Site(hall, accounts, limits=limits, notifier=_notifier(premises))
    service = Service(hall, accounts, settings, connections=premises.connections, limits=limits)
    app = make_app(service, [mila_websocket(premises), *site.routes()])
    return HttpDoor(app, port=settings.http_port, closed=site.close, **premises.http())


def _notifier(premises: Premises) -> Notifier:
    """Return the notifier of people for whom a match waits, by the means that the settings name."""
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
