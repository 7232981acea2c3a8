"""The declaration of the door for clients of the `diplomacy` package: settings, module, a command to try."""

from __future__ import annotations

from parlour.net.declaration import DoorDeclaration


def _hint(address: str, program: str) -> str:
    return f"clients of the diplomacy package, or {program} join {address} --match ID --agent broker"


MILA = DoorDeclaration(
    "mila",
    "mila_port",
    (
        "mila_port",
        "mila_bot",
        "mila_bot_password",
    ),
    "parlour.net.mila.server_door",
    _hint,
    game="diplomacy",
    saving="parlour.net.mila.saving:saved_for",
    exports={"diplomacy": "parlour.net.mila.saving:export_saved"},
)
