# SPDX-License-Identifier: MIT
"""Profiles a fastai Learner, with the arguments and reports of fastxtend's profilers.

    from stepwatch.fastai import *

    learn.profile("simple", logger_callback=["wandb"])
    learn.fit(3)

The report is printed at the end of the fit, and the profiler leaves the learner. ``learn.profile_report`` keeps the report.
"""
from __future__ import annotations

import functools
import inspect
import pathlib
import sys
from typing import Any

import fastai.callback.core as core
import fastai.learner as learner
from fastai.callback.core import Callback
from fastai.learner import Learner

import stepwatch
from stepwatch import events

__all__ = ["ProfileCallback", "ProfilePostCallback", "show_training_loop"]


def _add_before_draw() -> None:
    """Makes before_draw an event of fastai: any callback may have it."""
    if not hasattr(core.event, "before_draw"):
        core.event.before_draw = "before_draw"
        core._inner_loop.insert(0, "before_draw")
        learner._loop.insert(learner._loop.index("before_batch"), "before_draw")


def _pass(callback: Any, **inner: int | None) -> None:
    """Makes methods of a callback that pass their events on. The value is the action of the batch that is open from then on."""
    for name, action in inner.items():
        setattr(callback, name, functools.partialmethod(callback._event, getattr(events, name.upper()), action))


class ProfileCallback(Callback):
    """Measures a fit. ``learn.profile()`` adds it.

    mode: "throughput" (draw and batch) or "simple" (every action). show_report: print the report at the end of the fit, as
    HTML in a notebook unless ``plain``; markdown: as a markdown table. save_csv: write it to ``csv_name`` below the
    learner's path. rolling_average: batches of a rolling figure, and how often they are logged. drop_first_batch: leave
    the first batch of each phase out. logger_callback: sinks of stepwatch, such as "wandb" or ["tensorboard", "runlog"].
    Other options are those of stepwatch.open().
    """

    order = -9
    name = "stepwatch"  # otherwise learn.profile would be this callback

    def __init__(self, mode: str = "throughput", show_report: bool = True, plain: bool = False, markdown: bool = False,
                 save_csv: bool = False, csv_name: str | None = None, rolling_average: int = 10,
                 drop_first_batch: bool = True, logger_callback: Any = None, **options: Any) -> None:
        super().__init__()
        self.show_report, self.plain, self.markdown = show_report, plain, markdown
        self.csv_name = (csv_name or f"{'throughput' if mode == 'throughput' else 'simpleprofiler'}.csv") if save_csv else None
        self._options = {"mode": mode, "rolling_average": rolling_average, "drop_first_batch": drop_first_batch,
                         "show_report": False, "accounting": False, "logger_callback": logger_callback or [], **options}
        self._late = ProfilePostCallback(self)
        self._inner: int | None = None
        self.sw: stepwatch.Profiler | None = None

    def _event(self, event: int, inner: int | None = None, samples: int = 0) -> None:
        if self.sw is not None:
            self.sw.event(event, samples)
            self._inner = inner

    def before_fit(self) -> None:
        if self.sw is not None:  # an exception has ended the fit before
            self._event(events.AFTER_CANCEL_FIT)
            self._event(events.AFTER_FIT)
        elif not hasattr(self.learn, "lr_finder") and not hasattr(self.learn, "gather_preds"):
            self.sw = stepwatch.open(**self._options)
            self.sw._at_close.append(functools.partial(self.sw.event, events.AFTER_CANCEL_FIT))  # of a fit that an exception leaves open
        self._event(events.BEFORE_FIT)

    def before_batch(self) -> None:
        self._event(events.BEFORE_BATCH, stepwatch.FORWARD if getattr(self.learn, "training", True) else stepwatch.PREDICT)

    def after_batch(self) -> None:
        # zero_grad ends here, and the batch after the other callbacks.
        if self.sw is not None and self._inner == stepwatch.ZERO_GRAD:
            self.sw.end(stepwatch.ZERO_GRAD)
        self._inner = None

    def after_cancel_batch(self) -> None:
        # What has ended counts, such as backward in a batch that accumulates gradients.
        if self.sw is not None and self._inner is not None:
            self.sw.cancel(self._inner)
        self._inner = None

    def _finish(self) -> None:
        """The fit is over: prints what was asked for, and takes the profiler off the learner."""
        if self.sw is None:
            return
        if self.sw.is_on:
            report = self.learn.profile_report = self.sw.report()
            if self.show_report:
                self._show(report)
            if self.csv_name:
                path = pathlib.Path(getattr(self.learn, "path", ".")) / self.csv_name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(report.text("csv"), encoding="utf-8")
        _remove(self.learn, self)

    def _show(self, report: stepwatch.Report) -> None:
        shell = getattr(sys.modules.get("IPython"), "get_ipython", object)()
        if type(shell).__name__ == "ZMQInteractiveShell" and not self.plain and not self.markdown:
            from IPython.display import display
            display(report)
            return
        options = {"sink": "markdown"} if self.markdown else {"plain": True, "live": "off"}
        lines = report.text(advice=False, **options).splitlines()
        count = len(report.rows) + (2 if self.markdown else 3)
        # The table, and the one sentence that fastxtend prints below it.
        print(*lines[:count], *(line for line in lines[count:] if line.startswith("Batch dropped.")), sep="\n")


class ProfilePostCallback(Callback):
    """The ends, after what other callbacks do in the same event."""

    order = 49

    def __init__(self, early: ProfileCallback) -> None:
        super().__init__()
        self.early = early

    def _event(self, *event: Any) -> None:
        self.early._event(*event)

    def after_batch(self) -> None:
        batch = getattr(self.learn, "yb", None) or getattr(self.learn, "xb", None) or ()
        self._event(events.AFTER_BATCH, None, stepwatch.samples_of(batch))

    def after_fit(self) -> None:
        self._event(events.AFTER_FIT)
        self.early._finish()


_pass(ProfileCallback, before_epoch=None, before_train=None, before_validate=None, before_draw=None,
      before_backward=stepwatch.BACKWARD, before_step=stepwatch.OPT_STEP)
_pass(ProfilePostCallback, after_pred=stepwatch.LOSS, after_loss=None, after_step=stepwatch.ZERO_GRAD, after_train=None,
      after_validate=None, after_epoch=None, after_cancel_train=None, after_cancel_validate=None, after_cancel_epoch=None,
      after_cancel_fit=None)


def _all_batches(learn: Any) -> None:
    """all_batches() of a learner, with the event before_draw before each batch is asked for."""
    learn.n_iter = len(learn.dl)
    batches = iter(learn.dl)
    learn("before_draw")
    for number, batch in enumerate(batches):
        learn.one_batch(number, batch)
        learn("before_draw")
    for callback in learn.cbs:
        if isinstance(callback, ProfileCallback) and callback.sw is not None:
            callback.sw.cancel(stepwatch.DRAW)  # there was no more data


def _remove(learn: Any, callback: ProfileCallback) -> None:
    if callback.sw is not None:
        callback.sw.close()
        callback.sw = None
    learn.remove_cbs([callback, callback._late])
    learn.__dict__.pop("all_batches", None)


def profile(self: Any, mode: str = "throughput", **arguments: Any) -> Any:
    """Profiles the next fit of the learner: see ProfileCallback for the arguments. Returns the learner."""
    _add_before_draw()
    for callback in [callback for callback in self.cbs if isinstance(callback, ProfileCallback)]:
        _remove(self, callback)
    callback = ProfileCallback(mode, **arguments)
    self.add_cbs([callback, callback._late])
    self.all_batches = functools.partial(_all_batches, self)  # which an export can pickle
    return self


def show_training_loop(learn: Any) -> None:
    """Prints the training loop with the callbacks of each event, also of before_draw."""
    _add_before_draw()
    learn.show_training_loop()


profile.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY), *inspect.signature(ProfileCallback).parameters.values()])
Learner.profile = profile
