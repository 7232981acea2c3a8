"""A hall behind the HTTP API, and the problems that it answers with."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from net.http.api import Api, Scenario, serving
from parlour.net.settings import ServerSettings


def run(path: Path, scenario: Scenario, **settings: Any) -> None:
    async def main() -> None:
        async with serving(path / "kept.db", ServerSettings(**settings)) as api:
            await scenario(api)

    asyncio.run(main())


async def problem(api: Api, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, str, str]:
    """Return the status, the code and the line of an answer that is a problem."""
    response = await api.ask(method, path, body, **more)
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == response.status_code
    assert "\n" not in told["detail"]
    return response.status_code, told["code"], told["detail"]
