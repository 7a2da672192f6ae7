# SPDX-License-Identifier: MIT
"""Arguments of Python as the texts that the library takes: bytes, and lists of them."""
from __future__ import annotations

from _collections_abc import Iterable, Mapping  # collections.abc would import the package collections, too

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def encoded(value: Any) -> bytes:
    """UTF-8 without NUL, with the bytes of a file's name as they are, and with what is not text as escapes."""
    value = value.__fspath__() if hasattr(value, "__fspath__") else value
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    text = text.lower() if isinstance(value, bool) else text
    try:
        return text.encode("utf-8", "surrogateescape").replace(b"\0", b"\\0")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").replace(b"\0", b"\\0")


def optional(value: Any) -> bytes | None:
    return None if value is None else encoded(value)


def listed(value: Any) -> Iterable[Any]:
    """A list of one text or other single thing; other iterables as they are."""
    return [value] if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) else value


def bits(what: str, names: Any, known: Mapping[str, int]) -> int:
    """Returns the sum of the numbers that names stand for. Raises ValueError for a name that is not known."""
    total = 0
    for name in listed(names):
        if name not in known:
            raise ValueError(f"{what}: {name!r} is not one of {', '.join(known)}")
        total |= known[name]
    return total


def flat(options: Mapping[str, Any]) -> list[bytes]:
    """Returns keys and values in turn: a list repeats its key, and an entry of a mapping has the key KEY.ENTRY."""
    texts: list[bytes] = []
    for key, value in options.items():
        if isinstance(value, Mapping):
            texts += flat({f"{key}.{entry}": item for entry, item in value.items()})
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            for item in value:
                texts += flat({key: item})
        elif value is not None:
            texts += [encoded(key), encoded(value)]
    return texts


def monitor_keys(given: Any) -> list[bytes]:
    """``monitors`` is written as in YAML: True, ["system", {"gpu": {"pcie": True}}] or {"system": None, "interval": "1s"}."""
    if given is None or isinstance(given, bool):
        return flat({"monitors": given})
    named: dict[str, Any] = {}
    for monitor in [given] if isinstance(given, Mapping) else listed(given):
        named.update(monitor if isinstance(monitor, Mapping) else {monitor: None})
    names = [*listed(named.pop("what", [])), *(name for name, options in named.items() if options is None or options == {})]
    return flat({"monitors": {**named, "what": names}})


def sinks(given: Any) -> list[list[bytes]]:
    """Returns the list of sinks, which is written as in YAML: "table", ["table", {"csv": {"path": "r.csv"}}] or {"csv": …}."""
    result: list[list[bytes]] = []
    for sink in [] if given is None else [given] if isinstance(given, Mapping) else listed(given):
        named = {sink: None} if isinstance(sink, str) else sink
        if not isinstance(named, Mapping) or not all(isinstance(options, (Mapping, type(None))) for options in named.values()):
            raise TypeError(f"logger_callback: a sink is a name or {{name: options}}, not {sink!r}")
        result += [[encoded(name), *flat(options or {})] for name, options in named.items()]
    return result
