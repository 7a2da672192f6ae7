# SPDX-License-Identifier: MIT
"""stepwatch measures training loops at the cost of C.

    sw = stepwatch.open("stepwatch.yaml")
    with sw.fit():
        for epoch in range(3):
            with sw.epoch(), sw.train():
                for x, y in sw.draws(loader):       # measures draw; the body is the batch
                    with sw.forward:
                        loss = model(x, y)
                    sw.log("train/loss", loss)
    print(sw.report())
    sw.close()

Durations are nanoseconds and rates are samples per second. Mistakes raise stepwatch.Error. If stepwatch is off
(``profiler: off``, STEPWATCH=off) or in a child of fork(), every call does nothing.
"""
from __future__ import annotations

import sys
from _collections_abc import Mapping  # collections.abc would import the package collections, too

from . import _core, _endings, events
from ._core import Error
from ._options import bits, encoded, flat, listed, monitor_keys, optional, sinks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar
    _Batch = TypeVar("_Batch")
    _Self = TypeVar("_Self", bound="Profiler")

    from ._decorate import Span
    from ._report import Distribution, Report, Row
    from ._sinks import TYPES, Option, Record, sink
    from ._values import File, Histogram, Image, Table

# Imported when it is first used: this import would take ten times as long. The modules import what others of Python need.
_LATER = {"Span": "_decorate", "Distribution": "_report", "Report": "_report", "Row": "_report", "TYPES": "_sinks",
          "Option": "_sinks", "Record": "_sinks", "sink": "_sinks", "File": "_values", "Histogram": "_values",
          "Image": "_values", "Table": "_values"}
if not TYPE_CHECKING:
    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = getattr(__import__(f"{__name__}.{_LATER[name]}", fromlist=[name]), name)
        return globals()[name]

    def __dir__():
        return [*globals(), *_LATER]

__all__ = ["Distribution", "Error", "File", "Histogram", "Image", "Option", "Profiler", "Record", "Report", "Row", "Span",
           "TYPES", "Table", "events", "open", "sink"]
__version__ = _core.VERSION

(FIT, EPOCH, TRAIN, VALID, STEP, DRAW, BATCH, FORWARD, LOSS, BACKWARD, OPT_STEP, ZERO_GRAD, PREDICT) = range(13)
_ACTIONS = ("fit", "epoch", "train", "valid", "draw", "batch", "forward", "loss", "backward", "opt_step", "zero_grad", "predict")
NOTE, WARNING, ERROR = range(3)
_KINDS = {"text": 1, "table": 2, "histogram": 3, "images": 4, "file": 5, "line": 6}
_KEEP = {"last": 1, "min": 2, "max": 4, "mean": 8, "first": 16, "none": 32}
_GOALS = {"min": 1, "max": 2}


def samples_of(batch: Any) -> int:
    """Returns the number of samples of a batch: the length of its first tensor or array, or 0 if it has none."""
    try:
        if hasattr(batch, "shape"):
            return int(batch.shape[0]) if len(batch.shape) else 0
    except (RuntimeError, TypeError, ValueError):  # of nested tensors, and of what else is called a shape
        return 0
    parts = list(batch.values()) if isinstance(batch, Mapping) else batch
    if not isinstance(parts, (list, tuple)):
        return 0
    is_nested = any(isinstance(part, (Mapping, list, tuple)) for part in parts)
    return next(filter(None, map(samples_of, parts)), 0 if is_nested else len(parts))


def _flush(*streams: Any) -> None:
    """What the program has printed comes before what the library prints."""
    for stream in streams:
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            pass


class Profiler(_core.Profiler):
    """A profiler; ``open()`` makes one. Any thread may use it until ``close()``; afterwards its calls do nothing.

    Actions are attributes: ``with sw.forward:``. ``sw.forward.begin()`` and ``sw.forward.end()`` do the same without a
    block, and ``@sw.region("name")`` measures a function. They are: fit, the whole training; epoch, one pass over the
    data; train and valid, its parts; draw, waiting for the loader's next batch; batch, everything that is done with one;
    forward, the model's prediction while training; loss; backward, the gradients; opt_step, the optimizer's step; zero_grad;
    and predict, the model's prediction while validating.
    """

    if TYPE_CHECKING:
        fit = epoch = train = valid = draw = batch = forward = loss = backward = opt_step = zero_grad = predict = _core.Region()
        is_on: bool
        step: int
    else:  # by functions of Python: torch.compile() refuses a property that is one of C
        is_on = property(lambda self: _core.is_on(self), doc="False if the profiler is off, closed or in a child process.")
        step = property(lambda self: _core.get_step(self), lambda self, step: _core.set_step(self, step),
                        doc="The number of the next step. Set it after you resume from a checkpoint.")

    _resolver: Any = {}.get  # of start(): the calls that belong to a name

    _kept: list[tuple[str, Any, int]]
    _at_close: list[Callable[[], object]]

    def __new__(cls: type[_Self], *args: Any, **keywords: Any) -> _Self:  # subclasses need not call __init__()
        if cls is Profiler and (args or keywords):
            raise TypeError("Profiler() takes no arguments and measures nothing: stepwatch.open() takes them")
        self = super().__new__(cls)
        for action in _ACTIONS:
            setattr(self, action, self.region(action))
        self._kept, self._at_close = [], []
        return self

    def __reduce__(self) -> Any:
        """In another process, a copy measures nothing, as in a child of fork()."""
        return Profiler, ()

    def draws(self, loader: Iterable[_Batch], samples: Callable[[_Batch], int] | int | None = samples_of) -> Iterator[_Batch]:
        """Iterates over a loader: waiting for it is the draw, and the body of the loop is the batch.

        The batch ends at the next draw, unless the body calls end_batch() first. samples: the number of samples of a
        batch, or a function of it; None: rates are not computed. A batch that an exception leaves is not counted.
        """
        if samples is not None and not callable(samples) and not hasattr(samples, "__index__"):
            raise TypeError(f"draws: samples: {samples!r} is neither a number nor a function")
        return _core.draws(self, loader, samples if callable(samples) else lambda batch: samples or 0)

    def span(self, name: str) -> Span:
        """Returns a span: an interval that may overlap others, for ``with`` and ``async with``."""
        from ._decorate import Span
        return Span(self.region(name))

    def report(self) -> Report:
        """Returns a report of what was measured so far. Raises Error if the profiler is off or closed."""
        from ._report import Report
        self._log_kept()
        return Report(_core.report(self))

    def live(self, interval: float = 1) -> None:
        """In a notebook: shows the step and the report so far below the cell, and renews them every ``interval`` seconds
        until close(). ``sw`` as the last expression of a cell shows them once."""
        from ._report import live
        live(self, interval)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        if not self.is_on:
            return {"text/plain": repr(self)}
        bundle = self.report()._repr_mimebundle_()
        return {"text/html": f"<p>Step {self.step}</p>{bundle['text/html']}", "text/plain": f"Step {self.step}\n{bundle['text/plain']}"}

    def flush(self, timeout: float = 10) -> bool:
        """Waits until every sink has processed what was sent to it, at most ``timeout`` seconds. Returns False after that."""
        self._log_kept()
        wait = 0.1  # Ctrl-C and a close() in another thread need not wait for the whole timeout
        while not _core.flush(self, min(timeout, wait)):
            timeout -= wait
            wait *= 2
            if timeout <= 0:
                return False
        return True

    def close(self) -> None:
        """Ends the run: makes the report of an open fit and lets every sink finish, within close_timeout.

        Raises Error if a sink lost something. A second call does nothing.
        """
        if not _endings.ends:
            _core.may_close(self)
        try:
            self._resolver = {}.get
            for end in [*self._at_close]:
                end()
            self._log_kept()
        finally:
            _flush(sys.stdout, sys.stderr)
            try:
                _core.close(self, _endings.ends)
            finally:
                if not self.is_on:
                    _endings.opened.pop(id(self), None)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is not None and self.is_on:
            code = error.code if isinstance(error, SystemExit) else 130 if isinstance(error, KeyboardInterrupt) else 1
            self.set_exit_status(code & 255 if isinstance(code, int) else 0 if code is None else 1)
        try:
            self.close()
        except Error as failed:
            if kind is None:
                raise
            print(f"stepwatch: {failed}", file=sys.stderr)  # the exception of the block goes on

    def log(self, name: str | Mapping[str, Any], value: Any = None, *, step: int | None = None, now: bool = False) -> None:
        """Logs a number, text, table, image, histogram or file for the current training step, or for ``step``; also
        ``log({name: value})``. now: does not keep a number on its device."""
        if step is None and isinstance(value, (float, int)):
            try:
                _core.log_number(self, name, value)
                return
            except OverflowError:
                pass  # more than a double can hold
        if self.is_on:
            from ._values import log
            log(self, name, value, step=step, now=now)

    def _log_kept(self, before: int | None = None) -> None:
        """Logs what was kept; with ``before``, only what is on its way since an earlier step of the loop."""
        kept, self._kept = self._kept, []
        for name, value, step in kept if self.is_on else []:
            if before is None or getattr(value, "since", before) < before:
                _core.log_at(self, name, float(value), step)
            else:
                self._kept.append((name, value, step))

    def log_line(self, text: str, level: int = NOTE) -> None:
        """Logs a line of the program's logger. Prints nothing."""
        _core.log_line(self, level, encoded(text))

    def wants(self, kind: str) -> bool:
        """Returns whether a sink takes values of a kind: text, table, histogram, images, file or line."""
        return _core.wants(self, bits("wants", kind, _KINDS))

    def note(self, text: str) -> None:
        """Adds a note about this moment to the run log and to timelines."""
        _core.note(self, encoded(text))

    def alert(self, title: str, text: str = "", level: int = WARNING) -> None:
        """Reports something that the user should look at: a message, and an alert of the sinks."""
        _core.alert(self, level, encoded(title), encoded(text))

    def print(self, *values: object, sep: str | None = " ", end: str | None = "\n") -> None:
        """Prints without damaging the line with which the sink table shows the progress."""
        _flush(sys.stdout)
        _core.print(self, encoded((" " if sep is None else sep).join(map(str, values)) + ("\n" if end is None else end)))

    def hparams(self, values: Any) -> None:
        """Logs hyper-parameters: a dictionary, or the attributes of an object such as argparse makes. Call it before the first
        step if you can."""
        if not isinstance(values, Mapping) and not hasattr(values, "__dict__"):
            raise TypeError(f"hparams: {values!r} is neither a dictionary nor has attributes")
        for name, value in (values if isinstance(values, Mapping) else vars(values)).items():
            if getattr(value, "ndim", None) == 0 and hasattr(value, "item"):  # of numpy or torch
                value = value.item()
            if isinstance(value, float):
                _core.hparam_float(self, encoded(name), value)
            elif isinstance(value, int) and -2**63 <= value < 2**63:
                _core.hparam_int(self, encoded(name), value)
            else:
                _core.hparam_text(self, encoded(name), encoded(value))

    def param(self, name: str, fallback: float) -> float:
        """Returns a number that a sweep of W&B gives the program, and logs it as a hyper-parameter."""
        return _core.param(self, encoded(name), fallback)

    def summary(self, name: str, value: float | str) -> None:
        """Sets a value in the run's summary."""
        if isinstance(value, str):
            _core.summary_text(self, encoded(name), encoded(value))
        else:
            _core.summary(self, encoded(name), value)

    def define(self, pattern: str, *, axis: str | None = None, keep: Iterable[str] = (), goal: str | None = None,
               hidden: bool = False, unit: str | None = None, description: str | None = None) -> None:
        """Defines what to show of the metrics of a name, or of names that begin with the text before a closing ``*``.

        axis: the metric that is the x axis. keep: last, min, max, mean, first, none. goal: "min" or "max".
        """
        _core.define(self, encoded(pattern), optional(axis), bits("keep", keep, _KEEP), bits("goal", [goal] if goal else [], _GOALS),
                     hidden, optional(unit), optional(description))

    def shaped(self, action: Any, shape: Any) -> _core.Region:
        """Returns the region of an action for an input of this shape, such as ``x.shape`` or "[[64, 128]]"."""
        text = shape if isinstance(shape, str) else f"[{list(shape)}]"
        return self.region(_core.action_shaped(self, self.region(action).action, encoded(text)))


def open(path: Any = None, *, text: str | None = None, mode: str | None = None, name: str | None = None,
         logger_callback: Any = None, monitors: Any = None, plugin_path: Iterable[str] = (), directory: Any = None,
         rank: int = 0, ranks: int = 0, messages: Callable[[int, str], object] | None = None, **options: Any) -> Profiler:
    """Opens a profiler.

    path: a YAML file. Without it and without other arguments: the file that $STEPWATCH_CONFIG names, or ./stepwatch.yaml.
    text: YAML as text instead. Everything else is written as in YAML and overrides the file:
    ``open(mode="simple", rolling_average=20, logger_callback=["table", {"csv": {"path": "r.csv"}}], monitors=["system"])``.
    messages: called as messages(level, text) instead of printing to stderr, from any thread.
    rank, ranks: of a distributed run, if you know them better than the launcher.

    Returns a profiler that does nothing if stepwatch is off. Raises Error with all mistakes of the configuration.
    """
    given = [flat(options if mode is None else {"mode": mode, **options}) + monitor_keys(monitors),
             [encoded(folder) for folder in listed(plugin_path)], rank, ranks, messages, sinks(logger_callback)]
    alone = logger_callback is None and not any([name, directory, *given])
    if text is not None and not (alone and path is None):
        raise TypeError("open(text=…) takes no other arguments: write them into the text")
    if messages is not None and not callable(messages):
        raise TypeError(f"open: messages: {messages!r} is not a function")
    if path is not None and not isinstance(path, (str, bytes)) and not hasattr(path, "__fspath__"):
        raise TypeError(f"open: {path!r} is not a path: give options by their names")
    profiler = Profiler()
    _endings.opened[id(profiler)] = profiler  # before it is open: Ctrl-C may come at any time
    try:
        _core.open(profiler, optional("" if path is None and alone else path), optional(text), optional(name), optional(directory), *given)
    finally:
        if not profiler.is_on:
            _endings.opened.pop(id(profiler), None)
        elif _core.registered:
            _endings.catch_signals()
    return profiler
