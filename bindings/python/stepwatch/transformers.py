# SPDX-License-Identifier: MIT
"""A callback for the Trainer of transformers.

    trainer = Trainer(model, args, callbacks=[StepwatchCallback()], …)

A batch of the report is one step of the optimizer, with all its batches if gradients are accumulated: then its samples
are those of all of them. Time from the end of a step to the beginning of the next is the draw.
"""
from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

import stepwatch


class StepwatchCallback(TrainerCallback):
    """Measures training, steps, evaluation and saving, and logs what the Trainer logs.

    sw: an open stepwatch.Profiler; without it, one is opened with the other arguments of stepwatch.open(), and closed
    when the training ends.
    """

    def __init__(self, sw: stepwatch.Profiler | None = None, **options: Any) -> None:
        self.sw = stepwatch.open(**options) if sw is None else sw
        self._owns = sw is None
        self._samples = 0
        self._evaluates = False
        self._drawing = False
        self._stepping = False

    def on_train_begin(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        sw = self.sw
        self._samples = args.train_batch_size * args.gradient_accumulation_steps
        sw.hparams({name: getattr(args, name) for name in ("learning_rate", "weight_decay", "num_train_epochs", "seed")})
        if state.max_steps > 0:
            sw.expect_steps(state.max_steps)
        if state.global_step:
            sw.step = state.global_step
        sw.fit.begin()

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self.sw.epoch.begin()
        self.sw.train.begin()
        self._draw(True)

    def _draw(self, begins: bool) -> None:
        """Begins a draw, or cancels the one that got no batch."""
        if begins != self._drawing:
            (self.sw.draw.begin if begins else self.sw.draw.cancel)()
        self._drawing = begins

    def on_step_begin(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self._draw(True)
        self._drawing, self._stepping = False, True
        self.sw.next(stepwatch.BATCH)

    def on_step_end(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self.sw.end_batch(self._samples)
        self._stepping = False
        self._draw(True)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self._draw(False)
        if self._stepping:  # too few batches were left to accumulate
            self.sw.batch.cancel()
        self._stepping = False
        self.sw.train.end()
        self.sw.epoch.end()

    def on_prediction_step(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        """Called after each batch of an evaluation."""
        if not self._evaluates:
            self._draw(False)
            self.sw.valid.begin()
        self._evaluates = True

    def on_evaluate(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        if self._evaluates:
            self.sw.valid.end()
        self._evaluates = False

    on_predict = on_evaluate

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **keywords: Any) -> None:
        for name, value in (logs or {}).items():
            if isinstance(value, (int, float)):
                self.sw.log(name, value, step=state.global_step)

    def on_save(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self.sw.note(f"checkpoint of step {state.global_step} saved")

    def on_train_end(self, args: Any, state: Any, control: Any, **keywords: Any) -> None:
        self._draw(False)
        self.sw.fit.end()
        if self._owns:
            self.sw.close()
