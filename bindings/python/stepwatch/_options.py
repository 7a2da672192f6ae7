# SPDX-License-Identifier: MIT
"""Arguments of Python as the lists of texts that the library takes."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def flat(options: Mapping[str, Any]) -> list[str]:
    """Returns keys and values in turn: a list repeats its key, and an entry of a mapping has the key KEY.ENTRY."""
    texts: list[str] = []
    for key, value in options.items():
        if isinstance(value, Mapping):
            texts += flat({f"{key}.{entry}": item for entry, item in value.items()})
        elif isinstance(value, (list, tuple)):
            for item in value:
                texts += flat({key: item})
        elif value is not None:
            texts += [str(key), _text(value)]
    return texts


def sinks(given: Any) -> list[tuple[str, list[str]]]:
    """Returns the list of sinks, which is written as in YAML: "table", ["table", {"csv": {"path": "r.csv"}}] or {"csv": …}."""
    if given is None:
        return []
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        given = [given]
    result: list[tuple[str, list[str]]] = []
    for sink in given:
        if isinstance(sink, str):
            result.append((sink, []))
        elif isinstance(sink, Mapping):
            result += [(str(name), flat(options or {})) for name, options in sink.items()]
        else:
            raise TypeError(f"logger_callback: a sink is a name or {{name: options}}, not {sink!r}")
    return result
