# SPDX-License-Identifier: MIT
"""Sinks that are written in Python."""
from __future__ import annotations

import dataclasses
import inspect
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._options import bits, encoded, listed, optional
from ._report import Report

TYPES = ("run", "hparam", "metrics", "mark", "step", "regions", "epoch", "report", "end", "pause", "lost", "window", "note",
         "span", "ranks", "clock", "alert", "value", "rule", "summary", "line", "findings", "monitor")
_OPTION_TYPES = ("bool", "int", "float", "duration", "size", "string", "path", "choice", "list", "name", "subpath", "map",
                 "paths")
_WANTS = {name: 1 << i for i, name in enumerate(TYPES)}


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a sink: ``type`` is bool, int, float, duration (seconds), size (bytes), string, path, choice or list.

    min, max: the range of a number; None: no limit.
    """

    name: str
    type: str = "string"
    default: Any = None
    help: str = ""
    min: float | None = None
    max: float | None = None
    choices: Sequence[str] = ()
    required: bool = False
    secret: bool = False

    def _row(self, sink: str) -> tuple[Any, ...]:
        """What sink_register() takes."""
        kind = bits(f"sink {sink}: the type of {self.name}", self.type, {kind: i for i, kind in enumerate(_OPTION_TYPES)})
        default = self.default
        if isinstance(default, (list, tuple)):
            default = f"[{', '.join(map(str, default))}]"
        elif self.type == "duration" and isinstance(default, (int, float)):
            default = f"{default}s"
        low, high = (self.min, self.max) if (self.min, self.max) != (None, None) else (0, 0)
        return (encoded(self.name), optional(default), optional("|".join(map(str, self.choices)) or None), encoded(self.help or self.name),
                kind, -math.inf if low is None else low, math.inf if high is None else high, self.required, self.secret)


class Record:
    """What a sink receives. ``type`` is one of the names in ``stepwatch.TYPES``; ``time_ns`` counts from the run's start.

    All records have type, time_ns, wall_s, step, epoch, fit and phase. The rest depends on the type: run, hparam, metrics
    (name: value), regions, samples and parts (of a step), report, end, paused, lost, text (of a note or a line), span,
    alert, value and kind, summary. A ``report`` can be printed only during the call.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.__dict__.update(data)
        self.type = TYPES[data["type"]] if data["type"] < len(TYPES) else "?"
        if "report" in data:
            self.report = Report(data["report"])

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"a record of the type {self.__dict__.get('type')} has no {name}")

    def __repr__(self) -> str:
        return f"Record({self.__dict__})"


def _opened(target: Any, options: dict[str, Any], paths: set[str], folder: str) -> Callable[[str, Any], None]:
    """Opens a sink. The function that it returns passes records on to an object with record(), or to a function."""
    options.update({path: os.path.join(folder, options[path]) for path in paths if options[path] not in (None, "", "-")})
    made = target(**options) if isinstance(target, type) else target
    if isinstance(target, type) and not hasattr(made, "record"):
        raise TypeError(f"{target.__name__} has no record()")
    record = getattr(made, "record", None) or (lambda record: target(record, **options))

    def call(method: str, data: dict[str, Any] | None) -> None:
        if data is not None:
            record(Record(data))
        else:
            getattr(made, method, lambda: None)()
    return call


def sink(name: str, options: Sequence[Option | str] = (), *, wants: Sequence[str] = ("metrics", "report"),
         summary: str = "a sink in Python", version: str = "1.0", keep_newest: bool = False) -> Callable[[Any], Any]:
    """Makes a class or a function a sink that ``logger_callback`` can name.

    A class is called with the options when the sink is opened; its objects have record(record), and may have flush() and
    close(). A function is called as function(record, **options). All calls come from the sink's own thread, one at a time.
    An exception is reported as a failure of the sink; the loop goes on.

    name: a lower-case letter, then lower-case letters, digits and _. wants: types of records, from stepwatch.TYPES.
    keep_newest: which records are kept when the sink is too slow. Raises stepwatch.Error if the sink is refused. A second
    sink of the same name replaces the first one; it must have the same options and records.
    """
    if not isinstance(name, str):
        raise TypeError(f'sink: {name!r} is not a name: write @stepwatch.sink("name")')
    table = [option if hasattr(option, "_row") else Option(option) for option in listed(options)]
    fixed = (bits(f"sink {name}: wants", wants, _WANTS), [option._row(name) for option in table], keep_newest)
    paths = {option.name for option in table if option.type == "path"}

    def register(target: Any) -> Any:
        if not callable(getattr(target, "record", target)):
            raise TypeError(f"sink {name}: {target!r} is neither a function nor has record()")
        if inspect.iscoroutinefunction(getattr(target, "record", target)):
            raise TypeError(f"sink {name}: {target!r} is async, but nothing awaits it")
        known = _core.registered.get(name)
        if known is None:
            known = [target, fixed]
            _core.sink_register(encoded(name), encoded(summary), encoded(version), *fixed,
                                lambda given, folder: _opened(known[0], given, paths, folder))
            _core.registered[name] = known
        elif known[1] != fixed:
            raise ValueError(f"sink {name}: it was registered with other options or records, which stay until the program ends")
        known[0] = target
        return target
    return register
