"""The HTTP door: the JSON API under /api/v1, health, readiness and metrics, on Starlette and uvicorn."""
