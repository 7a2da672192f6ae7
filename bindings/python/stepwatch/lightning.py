# SPDX-License-Identifier: MIT
"""A profiler and a logger for Lightning.

    profiler = StepwatchProfiler(logger_callback=["tensorboard"])
    trainer = Trainer(profiler=profiler, logger=StepwatchLogger(profiler.sw))

Each action of Lightning is a row, and its hooks are the actions of the loop: draw, batch with its samples, forward,
backward, opt_step, zero_grad, train, valid, epoch and fit. ``forward`` is training_step, so it includes the loss.
"""
from __future__ import annotations

import contextlib
import functools
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

import stepwatch

from ._steps import LEFT, Steps

try:
    if "pytorch_lightning" in sys.modules:
        raise ModuleNotFoundError  # both may be installed: a Trainer of this one needs its classes
    from lightning.pytorch.loggers import Logger
    from lightning.pytorch.profilers import Profiler
except ModuleNotFoundError:  # the older name of the package
    from pytorch_lightning.loggers import Logger  # type: ignore[import-not-found, no-redef]
    from pytorch_lightning.profilers import Profiler  # type: ignore[import-not-found, no-redef]

# What names of Lightning mean to the loop: steps when the action starts | before its row ends | after; the first one counts. The
# optimizer's step runs a closure with forward and backward: so it is asked for, and what follows backward is the step itself.
_MEANINGS = (
    (r"run_training_epoch", "+epoch | /batch -valid -train | -epoch"),
    (r"optimizer_step", "+opt_step | | -opt_step"),  # of a module that optimizes by itself, without a closure
    (r".*\.train_dataloader_next", "~train +draw | | -draw"),
    (r".*_next", "+draw | | -draw"),
    (r"\[LightningModule\].*\.on_fit_start", f"{LEFT} -fit +fit | |"),
    (r"\[LightningModule\].*\.on_fit_end", "| | -fit"),
    (r"\[LightningModule\].*\.on_(train|validation|test|predict)_batch_start", "+batch | |"),
    (r"\[LightningModule\].*\.on_(train|validation|test|predict)_batch_end", "| | -batch"),
    (r"\[LightningModule\].*\.on_(validation|test|predict)_start", "-train +valid | |"),
    (r"\[LightningModule\].*\.on_(validation|test|predict)_end", "| | -valid"),
    (r"\[LightningModule\].*\.optimizer_step", "?opt_step | -opt_step |"),
    (r"\[LightningModule\].*\.optimizer_zero_grad", "+zero_grad | | -zero_grad"),
    (r"\[Strategy\].*\.training_step", "+forward | | -forward"),
    (r"\[Strategy\].*\.(validation|test|predict)_step", "+predict | | -predict"),
    (r"\[Strategy\].*\.backward", "+backward | | -backward !opt_step"),
)


def _counted(steps: Steps, hook: Callable[..., Any], batch: Any, *args: Any, **keywords: Any) -> Any:
    """Lightning gives a profiler names only; the hooks of the module get the batch. They are pickled with the module."""
    steps.samples = stepwatch.samples_of(batch)
    return hook(batch, *args, **keywords)


class StepwatchProfiler(Profiler):
    """Measures what SimpleProfiler measures, in constant memory, and the loop.

    sw: an open stepwatch.Profiler. Without it, one is opened with the other arguments of stepwatch.open(), in the mode
    ``simple`` with all batches counted, and closed by close() or at the end of the program.
    extended: summary() has the columns of SimpleProfiler(extended=True).
    """

    def __init__(self, sw: stepwatch.Profiler | None = None, dirpath: Any = None, filename: str | None = None,
                 extended: bool = True, **options: Any) -> None:
        super().__init__(dirpath=dirpath, filename=filename)
        self._wrapped: list[str] = []  # teardown() is called even if open() fails
        if sw is None:
            options = {"mode": "simple", "drop_first_batch": False, "show_report": False, "logger_callback": [], **options}
            sw = stepwatch.open(**options)
        self.sw = sw
        self.extended = extended
        self._names: set[str] = set()
        self._steps = Steps(sw)
        sw._resolver = self._resolve
        # The methods of the extension themselves: a call is as fast as one of C.
        self.start = sw.start  # type: ignore[method-assign, assignment]
        self.stop = sw.stop  # type: ignore[method-assign, assignment]

    def _resolve(self, name: str) -> Callable[[int], None] | None:
        self._names.add(name)
        for pattern, steps in _MEANINGS:
            if re.fullmatch(pattern, name):
                return lambda which: self._steps(steps.split("|")[which])
        return None

    def start(self, action_name: str) -> None:
        """Begins an action. Raises ValueError if it has begun already."""

    def stop(self, action_name: str) -> None:
        """Ends an action. Raises ValueError if it has not begun."""

    def setup(self, stage: str, local_rank: int | None = None, log_dir: str | None = None) -> None:
        super().setup(stage, local_rank, log_dir)
        module = getattr(self, "_lightning_module", None)
        for stage in ("train", "validation", "test", "predict") if module is not None and not self._wrapped else ():
            name = f"on_{stage}_batch_start"
            hook = getattr(module, name)
            setattr(module, name, functools.update_wrapper(functools.partial(_counted, self._steps, hook), hook))
            self._wrapped.append(name)

    def teardown(self, stage: str | None) -> None:
        for hook in self._wrapped:
            with contextlib.suppress(AttributeError, ReferenceError):  # the module is gone
                delattr(self._lightning_module, hook)
        self._wrapped = []
        super().teardown(stage)

    def summary(self) -> str:
        """Returns the table of SimpleProfiler for the newest fit, or for what has run since; SimpleProfiler adds up all that it has
        seen. Nothing if the profiler is off, closed or in another process."""
        if not self.sw.is_on:
            return ""
        options: dict[str, Any] = {} if self.extended else {"columns": ["mean", "total"], "sort": "mean"}
        text = self.sw.report().text(actions=self._names, style="lightning", advice=False, **options)
        stage = f"{self._stage.upper()} " if self._stage is not None else ""
        text = re.sub(r"\A\w* ?Profiler Report", f"{stage}Profiler Report", text)
        return text if self.extended else re.sub(r"(?m)^\|  Total .*\n-+\n", "", text)

    def close(self) -> None:
        """Ends the run: the sinks get the report."""
        self.sw.close()


class StepwatchLogger(Logger):
    """Logs what modules and callbacks log, such as DeviceStatsMonitor, to the sinks of a profiler."""

    name, version = "stepwatch", 0

    def __init__(self, sw: stepwatch.Profiler | None = None, **options: Any) -> None:
        super().__init__()
        self.sw = self.experiment = stepwatch.open(**options) if sw is None else sw

    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        self.sw.log(metrics, step=step)

    def log_hyperparams(self, params: Any, *args: Any, **keywords: Any) -> None:
        self.sw.hparams({} if params is None else params)

    def save(self) -> None:
        self.sw.flush()

    def finalize(self, status: str) -> None:
        self.sw.set_exit_status(0 if status == "success" else 1)
        self.sw.flush()
