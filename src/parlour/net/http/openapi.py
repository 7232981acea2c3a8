"""The OpenAPI document, made from the table of operations and the forms that they name."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec

import parlour
from parlour.games import declared, games
from parlour.net.http.operations import MATCH_PASSWORD, Nothing, Operation
from parlour.net.http.problems import MEDIA, Problem

ANYWHERE = (400, 401, 403, 408, 413, 429, 500, 503)
"""Statuses that any operation may answer with."""
_REF = "#/components/schemas/{name}"
_PASSWORD = {
    "name": MATCH_PASSWORD,
    "in": "header",
    "required": False,
    "description": "The match's password in UTF-8, if watchers need it. An account needs to send it once.",
    "schema": {"type": "string"},
}


def document(operations: list[Operation], prefix: str) -> dict[str, Any]:
    """Return the OpenAPI document as a plain value."""
    forms = [
        form
        for operation in operations
        for form in (operation.body, operation.answer)
        if not isinstance(form, str) and form is not Nothing
    ]
    schemas, components = msgspec.json.schema_components([*forms, Problem], ref_template=_REF)
    known = dict(zip(map(id, forms), schemas, strict=False))
    paths: dict[str, dict[str, Any]] = {}
    titles = " and ".join(declared(name).title for name in games())
    for operation in operations:
        paths.setdefault(prefix + operation.path, {})[operation.method.lower()] = _operation(operation, known)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Parlour",
            "version": parlour.__version__,
            "description": f"Matches of {titles} under one fair referee.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, known: dict[int, Any]) -> dict[str, Any]:
    first, _, rest = operation.told.partition("\n\n")
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": first.rstrip("."),
        "security": [{"token": []}] if operation.signed_in else [{}, {"token": []}],
        "parameters": [
            *_path_parameters(operation.path),
            *_query_parameters(operation.query),
            *([_PASSWORD] if operation.watches else []),
        ],
        "responses": _responses(operation, known),
    }
    if rest:
        found["description"] = " ".join(rest.split())
    if operation.body is not Nothing:
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": known[id(operation.body)]}},
        }
    return found


def _responses(operation: Operation, known: dict[int, Any]) -> dict[str, Any]:
    problem = {"content": {MEDIA: {"schema": {"$ref": _REF.format(name="Problem")}}}}
    found = {
        str(status): {"description": HTTPStatus(status).phrase, **problem}
        for status in sorted({*ANYWHERE, *operation.problems, *([404] if "{" in operation.path else [])})
    }
    if operation.answer is Nothing:
        return {"204": {"description": HTTPStatus.NO_CONTENT.phrase}, **found}
    text = isinstance(operation.answer, str)
    media = operation.answer if text else "application/json"
    schema = {"type": "string"} if text else known[id(operation.answer)]
    content = {"description": operation.status.phrase, "content": {media: {"schema": schema}}}
    return {str(operation.status.value): content, **found}


def _path_parameters(path: str) -> list[dict[str, Any]]:
    names = [part.partition("}")[0] for part in path.split("{")[1:]]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _query_parameters(form: Any) -> list[dict[str, Any]]:
    schema = msgspec.json.schema_components([form])[1][form.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": value}
        for name, value in schema["properties"].items()
    ]
