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

from ._steps import Steps

try:
    if "pytorch_lightning" in sys.modules:
        raise ModuleNotFoundError  # both may be installed: a Trainer of this one needs its classes
    from lightning.pytorch.loggers import Logger
    from lightning.pytorch.profilers import Profiler
except ModuleNotFoundError:  # the older name of the package
    from pytorch_lightning.loggers import Logger  # type: ignore[import-not-found, no-redef]
    from pytorch_lightning.profilers import Profiler  # type: ignore[import-not-found, no-redef]

# What a name of Lightning means to the loop: steps when the action starts | before its row ends | after. The optimizer's step
# runs a closure with forward and backward: so it is asked for, and what follows backward is the step itself.
_AROUND = "+{0} | | -{0}"
_MODULE = {"on_fit_start": "+fit | |", "on_fit_end": "| | -fit", "optimizer_step": "?opt_step | -opt_step |",
           "optimizer_zero_grad": _AROUND.format("zero_grad")}
_STAGES = ("train", "validation", "test", "predict")
for _stage in _STAGES:
    _MODULE.update({f"on_{_stage}_batch_start": "+batch | |", f"on_{_stage}_batch_end": "| | -batch"})
for _stage in _STAGES[1:]:
    _MODULE.update({f"on_{_stage}_start": "-train +valid | |", f"on_{_stage}_end": "| | -valid"})
_STRATEGY = {"training_step": _AROUND.format("forward"), "backward": "+backward | | -backward !opt_step",
             **dict.fromkeys(("validation_step", "test_step", "predict_step"), _AROUND.format("predict"))}


def _steps_of(name: str) -> str:
    if name == "run_training_epoch":
        return "+epoch | -train | -epoch"
    if name == "optimizer_step":  # of a module that optimizes by itself, without a closure
        return _AROUND.format("opt_step")
    if name.endswith("_next"):
        return "~train +draw | | -draw" if name.endswith(".train_dataloader_next") else _AROUND.format("draw")
    table = _MODULE if name.startswith("[LightningModule]") else _STRATEGY if name.startswith("[Strategy]") else {}
    return table.get(name.rpartition(".")[2], "")


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
        steps = _steps_of(name).split("|")
        return (lambda which: self._steps(steps[which])) if len(steps) > 1 else None

    def start(self, action_name: str) -> None:
        """Begins an action. Raises ValueError if it has begun already."""

    def stop(self, action_name: str) -> None:
        """Ends an action. Raises ValueError if it has not begun."""

    def setup(self, stage: str, local_rank: int | None = None, log_dir: str | None = None) -> None:
        super().setup(stage, local_rank, log_dir)
        module = getattr(self, "_lightning_module", None)
        for stage in _STAGES if module is not None and not self._wrapped else ():
            hook = f"on_{stage}_batch_start"
            setattr(module, hook, self._counting(getattr(module, hook)))
            self._wrapped.append(hook)

    def _counting(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        """Lightning gives a profiler names only; the hooks of the module get the batch."""
        @functools.wraps(hook)
        def on_batch_start(batch: Any, *args: Any, **keywords: Any) -> Any:
            self._steps.samples = stepwatch.samples_of(batch)
            return hook(batch, *args, **keywords)
        return on_batch_start

    def teardown(self, stage: str | None) -> None:
        for hook in self._wrapped:
            with contextlib.suppress(AttributeError, ReferenceError):  # the module is gone
                delattr(self._lightning_module, hook)
        self._wrapped = []
        super().teardown(stage)

    def summary(self) -> str:
        """Returns the table of SimpleProfiler; nothing if the profiler is off, closed or in another process."""
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
        for name, value in metrics.items():
            self.sw.log(name, value, step=step)

    def log_hyperparams(self, params: Any, *args: Any, **keywords: Any) -> None:
        self.sw.hparams({} if params is None else params)

    def save(self) -> None:
        self.sw.flush()

    def finalize(self, status: str) -> None:
        self.sw.set_exit_status(0 if status == "success" else 1)
        self.sw.flush()
