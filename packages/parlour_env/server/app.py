"""The application: `uvicorn parlour_env.server.app:app --port 8000`."""

from __future__ import annotations

import os

from openenv.core.env_server.http_server import create_app

from parlour_env.models import ParlourAction, ParlourObservation, ParlourState
from parlour_env.server.environment import ParlourEnvironment

SESSIONS = int(os.environ.get("PARLOUR_ENV_SESSIONS", "64"))
"""Maximum number of simultaneous matches."""

app = create_app(
    ParlourEnvironment,
    ParlourAction,
    ParlourObservation,
    env_name="parlour_env",
    max_concurrent_envs=SESSIONS,
    state_cls=ParlourState,
)


def main() -> None:
    """Serve on port 8000 of all interfaces, as containers do."""
    import uvicorn

    uvicorn.run(app, host="0.0.0.0", port=8000)


if __name__ == "__main__":
    main()
