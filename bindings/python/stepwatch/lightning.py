# SPDX-License-Identifier: MIT
"""A profiler and a logger for Lightning.

    profiler = StepwatchProfiler(logger_callback=["tensorboard"])
    trainer = Trainer(profiler=profiler, logger=StepwatchLogger(profiler.sw))

Each action of Lightning is a row, and its hooks are the actions of the loop: draw, batch with its samples, forward,
backward, opt_step, zero_grad, train, valid, epoch and fit. ``forward`` is training_step, so it includes the loss.
"""
from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

import stepwatch

try:
    from lightning.pytorch.loggers import Logger
    from lightning.pytorch.profilers import Profiler
except ModuleNotFoundError:  # the older name of the package
    from pytorch_lightning.loggers import Logger  # type: ignore[import-not-found, no-redef]
    from pytorch_lightning.profilers import Profiler  # type: ignore[import-not-found, no-redef]

_BEGIN, _ENSURE, _END, _LEAVE, _ASK, _ASKED = range(6)  # enum hook_op of the extension
_Steps = tuple[list[tuple[int, int]], list[tuple[int, int]]]


def _around(action: int) -> _Steps:
    return [(_BEGIN, action)], [(_END, action)]


_STRATEGY: dict[str, _Steps] = {
    "training_step": _around(stepwatch.FORWARD),
    # The optimizer's step runs a closure with forward and backward. What follows backward is the step itself.
    "backward": ([(_BEGIN, stepwatch.BACKWARD)], [(_END, stepwatch.BACKWARD), (_ASKED, stepwatch.OPT_STEP)]),
    "validation_step": _around(stepwatch.PREDICT), "test_step": _around(stepwatch.PREDICT),
    "predict_step": _around(stepwatch.PREDICT)}
_MODULE: dict[str, _Steps] = {
    "on_fit_start": ([(_BEGIN, stepwatch.FIT)], []), "on_fit_end": ([], [(_END, stepwatch.FIT)]),
    "optimizer_step": ([(_ASK, stepwatch.OPT_STEP)], [(_LEAVE, stepwatch.OPT_STEP)]),
    "optimizer_zero_grad": _around(stepwatch.ZERO_GRAD)}
for _stage in ("validation", "test", "predict"):
    _MODULE[f"on_{_stage}_start"] = ([(_END, stepwatch.TRAIN), (_BEGIN, stepwatch.VALID)], [])
    _MODULE[f"on_{_stage}_end"] = ([], [(_END, stepwatch.VALID)])
_BATCH_STARTS = [f"on_{stage}_batch_start" for stage in ("train", "validation", "test", "predict")]
for _hook in _BATCH_STARTS:
    _MODULE[_hook] = ([(_BEGIN, stepwatch.BATCH)], [])
    _MODULE[_hook.replace("_start", "_end")] = ([], [(_END, stepwatch.BATCH)])


def _steps_of(name: str) -> _Steps | None:
    """What an action of Lightning begins and ends in the loop."""
    if name == "run_training_epoch":
        return [(_BEGIN, stepwatch.EPOCH)], [(_LEAVE, stepwatch.TRAIN), (_END, stepwatch.EPOCH)]
    if name.endswith(".train_dataloader_next"):
        return [(_ENSURE, stepwatch.TRAIN), (_BEGIN, stepwatch.DRAW)], [(_END, stepwatch.DRAW)]
    if name.endswith("_next"):
        return _around(stepwatch.DRAW)
    table = _MODULE if name.startswith("[LightningModule]") else _STRATEGY if name.startswith("[Strategy]") else {}
    return table.get(name.rpartition(".")[2])


class StepwatchProfiler(Profiler):
    """Measures what SimpleProfiler measures, in constant memory, and the loop.

    sw: an open stepwatch.Profiler. Without it, one is opened with the other arguments of stepwatch.open(), in the mode
    ``simple`` with all batches counted, and closed by close() or at the end of the program.
    extended: summary() has the columns of SimpleProfiler(extended=True).
    """

    def __init__(self, sw: stepwatch.Profiler | None = None, dirpath: Any = None, filename: str | None = None,
                 extended: bool = True, **options: Any) -> None:
        super().__init__(dirpath=dirpath, filename=filename)
        if sw is None:
            options = {"mode": "simple", "drop_first_batch": False, "show_report": False, "logger_callback": [], **options}
            sw = stepwatch.open(**options)
        self.sw = sw
        self.extended = extended
        self._names: set[str] = set()
        self._wrapped: list[str] = []
        sw._resolver = self._resolve
        # The methods of the extension themselves: a call is as fast as one of C.
        self.start = sw.start  # type: ignore[method-assign, assignment]
        self.stop = sw.stop  # type: ignore[method-assign, assignment]

    def _resolve(self, name: str) -> _Steps | None:
        self._names.add(name)
        return _steps_of(name)

    def start(self, action_name: str) -> None:
        """Begins an action. Raises ValueError if it has begun already."""

    def stop(self, action_name: str) -> None:
        """Ends an action. Raises ValueError if it has not begun."""

    def setup(self, stage: str, local_rank: int | None = None, log_dir: str | None = None) -> None:
        super().setup(stage, local_rank, log_dir)
        module = getattr(self, "_lightning_module", None)
        for hook in _BATCH_STARTS if module is not None and not self._wrapped else []:
            setattr(module, hook, self._counting(getattr(module, hook)))
            self._wrapped.append(hook)

    def _counting(self, hook: Callable[..., Any]) -> Callable[..., Any]:
        """Lightning gives a profiler names only; the hooks of the module get the batch."""
        sw = self.sw

        @functools.wraps(hook)
        def on_batch_start(batch: Any, *args: Any, **keywords: Any) -> Any:
            sw._samples = stepwatch.samples_of(batch)
            return hook(batch, *args, **keywords)
        return on_batch_start

    def teardown(self, stage: str | None) -> None:
        for hook in self._wrapped:
            try:
                delattr(self._lightning_module, hook)
            except (AttributeError, ReferenceError):  # the module is gone
                pass
        self._wrapped = []
        super().teardown(stage)

    def summary(self) -> str:
        """Returns the table of SimpleProfiler."""
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

    def __init__(self, sw: stepwatch.Profiler | None = None, **options: Any) -> None:
        super().__init__()
        self.sw = stepwatch.open(**options) if sw is None else sw

    @property
    def experiment(self) -> stepwatch.Profiler:
        return self.sw

    @property
    def name(self) -> str:
        return "stepwatch"

    @property
    def version(self) -> int:
        return 0

    def log_metrics(self, metrics: Mapping[str, float], step: int | None = None) -> None:
        for name, value in metrics.items():
            self.sw.log(name, value, step=step)

    def log_hyperparams(self, params: Any, *args: Any, **keywords: Any) -> None:
        self.sw.hparams(params if isinstance(params, Mapping) else vars(params))

    def save(self) -> None:
        self.sw.flush()

    def finalize(self, status: str) -> None:
        self.sw.set_exit_status(0 if status == "success" else 1)
        self.sw.flush()
