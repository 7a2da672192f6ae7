# SPDX-License-Identifier: MIT
"""A callback for the Trainer of transformers.

    trainer = Trainer(model, args, callbacks=[StepwatchCallback()], …)

A batch of the report is one step of the optimizer, with all its batches if gradients are accumulated: then its samples
are those of all of them, each counted as a full batch. Time from the end of a step to the beginning of the next is the draw.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback

import stepwatch

from ._steps import LEFT, Steps


def _hook(steps: str, batches: int = 0) -> Callable[..., None]:
    def on_event(self: StepwatchCallback, *args: Any, **keywords: Any) -> None:
        self._steps.samples += batches * self._batch_size
        self._steps(steps)
    return on_event


class StepwatchCallback(TrainerCallback):
    """Measures training, steps, evaluation and saving, and logs what the Trainer logs.

    sw: an open stepwatch.Profiler; without it, one is opened with the other arguments of stepwatch.open(), and closed
    when the training ends.
    """

    def __init__(self, sw: stepwatch.Profiler | None = None, **options: Any) -> None:
        self.sw = stepwatch.open(**options) if sw is None else sw
        self._owns = sw is None
        self._batch_size = 0
        self._steps = Steps(self.sw)

    def on_train_begin(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        sw = self.sw
        self._steps(f"{LEFT} -fit")  # of the training before
        self._batch_size = getattr(state, "train_batch_size", None) or args.train_batch_size  # the state's may be a smaller one that fits
        sw.hparams({name: getattr(args, name) for name in ("learning_rate", "weight_decay", "num_train_epochs", "seed")})
        if state.max_steps > 0:
            sw.expect_steps(state.max_steps)
        if state.global_step:
            sw.step = state.global_step
        self._steps("+fit")

    on_epoch_begin = _hook("+epoch +train +draw")
    on_step_begin = _hook("~draw -draw +batch")
    on_substep_end = _hook("", 1)
    on_step_end = _hook("-batch +draw", 1)
    on_epoch_end = _hook("/draw /batch -train -epoch")  # in old versions, a batch is open if too few were left to accumulate
    on_prediction_step = _hook("/draw ~valid")  # after each batch of an evaluation
    on_evaluate = on_predict = _hook("-valid")

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **keywords: Any) -> None:
        numbers = {name: value for name, value in (logs or {}).items() if isinstance(value, (int, float))}
        self.sw.log(numbers, step=state.global_step)

    def on_save(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self.sw.note(f"checkpoint of step {state.global_step} saved")

    def on_train_end(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self._steps("/draw -fit")
        if self._owns:
            self.sw.close()
