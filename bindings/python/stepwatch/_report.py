# SPDX-License-Identifier: MIT
"""Reports: text, dataclasses, pandas and HTML. Durations are nanoseconds, rates are samples per second."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _core
from ._options import encoded, flat, listed


@dataclasses.dataclass(frozen=True)
class Distribution:
    """The values of a row: nanoseconds, or samples per second. ``first`` has the first 32, in order of the calls."""

    count: int
    mean: float
    variance: float
    min: float
    max: float
    first: list[float]


@dataclasses.dataclass(frozen=True)
class Row:
    """A phase and an action. ``samples_per_s`` is NaN if there is no rate; ``share`` is 1 for 100 % of the fit.

    ``self_counters`` leaves out what regions inside have counted.
    """

    phase: str
    action: str
    calls: int
    mean_ns: float
    std_ns: float
    total_ns: float
    self_ns: float
    p50_ns: float
    p95_ns: float
    p99_ns: float
    share: float
    samples_per_s: float
    overall_samples_per_s: float
    shape: str
    durations: Distribution
    rates: Distribution
    counters: dict[str, int]
    self_counters: dict[str, int]


class Report:
    """The report of a fit: print it, or read ``rows``.

    Other attributes: mode, fit, complete, interrupted, drop_first_batch, epoch, step, fit_ns, started_s, shaped (a row for
    each shape of an action's input), misuses (text: how often), findings (texts) and accounting (where the time of the
    fit went: accounted_ns, other_ns, own_ns, own_ns_per_step, own_threads_ns, steps, misuses, discarded, joules).
    """

    _printed = ""  # of a copy

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, data: dict[str, Any]) -> None:
        self.__dict__.update(data)
        self.rows, self.shaped = ([Row(**{**row, **{key: Distribution(**row[key]) for key in ("durations", "rates")}})
                                   for row in data[rows]] for rows in ("rows", "shaped"))

    def row(self, phase: str, action: str) -> Row:
        """Returns a row. Raises KeyError if there is none."""
        found = [row for row in self.rows if (row.phase, row.action) == (phase, action)]
        if not found:
            raise KeyError(f"the report has no row {phase}/{action}")
        return found[0]

    def text(self, sink: str = "table", actions: Iterable[str] | None = None, **options: Any) -> str:
        """Returns what a sink such as table, markdown or csv writes, with its options, such as ``style="lightning"``.

        actions: the names whose rows are written; None: all.
        """
        names = None if actions is None else {*listed(actions)}
        rows = [i for i, row in enumerate(self.rows) if names is None or row.action in names]
        import tempfile  # later: it takes milliseconds
        with tempfile.TemporaryDirectory() as folder:
            printer = _core.Profiler()
            _core.open(printer, None, None, None, None, flat({"mode": "simple", "show_report": False}), [], 0, 0, lambda level, text: None,
                          [[encoded(sink), *flat({**options, "path": os.path.join(folder, "report")})]])
            try:
                for now_ns in 0, self._elapsed_ns:
                    printer.set_clock(now_ns)
                _core.report_log(printer, self._capsule, rows)
            finally:
                _core.close(printer, False)
            try:
                [name] = os.listdir(folder)  # of a second fit, it is report-2
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    return file.read()
            except ValueError:
                raise _core.Error(_core.Error.EINVAL, f"text: the sink {sink} does not write a text") from None

    def __str__(self) -> str:
        return self._printed or self.text(live="off")

    def __getstate__(self) -> dict[str, Any]:
        """A copy, such as in a learner that fastai exports, has the rows and the text of str(), if there still is one."""
        try:
            printed = str(self)
        except _core.Error:
            printed = ""
        return {**self.__dict__, "_capsule": None, "_printed": printed}

    def __repr__(self) -> str:
        return f"<stepwatch report: fit {self.fit}, {len(self.rows)} rows>"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Returns the rows as dictionaries, without the distributions, with a key for each counter."""
        names = [field.name for field in dataclasses.fields(Row)][:-4]
        return [{**{name: getattr(row, name) for name in names}, **row.counters} for row in self.rows]

    def to_pandas(self) -> Any:
        """Returns the rows as a pandas.DataFrame. Raises ImportError without pandas."""
        import pandas
        return pandas.DataFrame(self.to_dicts())

    def _repr_html_(self) -> str:
        import html
        import re

        def plain(text: str) -> str:
            """Markdown has a backslash before punctuation."""
            return html.escape(html.unescape(re.sub(r"\\([^\w\s])", r"\1", text.strip())))
        lines = self.text("markdown").splitlines()
        head, _, *rows = [re.split(r"(?<!\\)[|]", line)[1:-1] for line in lines if line.startswith("|")]
        body = "".join(f"<tr>{''.join(f'<td>{plain(cell)}</td>' for cell in row)}</tr>" for row in rows)
        notes = "".join(f"<p>{plain(line)}</p>" for line in lines if line and not line.startswith("|"))
        return f"<table><thead><tr>{''.join(f'<th>{plain(cell)}</th>' for cell in head)}</tr></thead><tbody>{body}</tbody></table>{notes}"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": str(self)}


def live(sw: Any, interval: float) -> None:
    """Renews what a notebook shows of a profiler, from a thread: see Profiler.live()."""
    import threading

    from IPython.display import display
    shown, ended = display(sw, display_id=True), threading.Event()
    if shown is None:
        return  # outside of IPython, where nothing can be shown again

    def renew() -> None:
        while not ended.wait(interval):
            shown.update(sw)
    thread = threading.Thread(target=renew, name="stepwatch live", daemon=True)

    def end() -> None:
        ended.set()
        sw._at_close.remove(end)
        thread.join()
        if sw.is_on:
            shown.update(sw)
    sw._at_close.append(end)
    thread.start()
