# SPDX-License-Identifier: MIT
"""A tracker for accelerate: ``Accelerator(log_with=StepwatchTracker("run", logger_callback=["tensorboard"]))``."""
from __future__ import annotations

import functools
from typing import Any

from accelerate import PartialState
from accelerate.tracking import GeneralTracker, on_main_process

import stepwatch


class StepwatchTracker(GeneralTracker):
    """Logs what a program logs with accelerate to the sinks of stepwatch.

    sw: an open stepwatch.Profiler; without it, one is opened with the other arguments of stepwatch.open(). That is done when
    it is first used, which may be before Accelerator() has set up the processes. It is off in all but the main process.
    """

    name = "stepwatch"
    requires_logging_directory = False
    main_process_only = True

    def __init__(self, run_name: str = "stepwatch", sw: stepwatch.Profiler | None = None, **options: Any) -> None:
        super().__init__()
        self.run_name = run_name
        self._options = options
        if sw is not None:
            self.sw = sw

    @functools.cached_property
    def sw(self) -> stepwatch.Profiler:
        return stepwatch.open(name=self.run_name, **self._options) if PartialState().is_main_process else stepwatch.Profiler()

    tracker = property(lambda self: self.sw)

    def start(self) -> None:
        """Opens the profiler, once the processes are set up. Older versions of accelerate do not call this."""
        self.sw

    @on_main_process
    def store_init_configuration(self, values: dict[str, Any]) -> None:
        self.sw.hparams(values)

    @on_main_process
    def log(self, values: dict[str, Any], step: int | None = None, **keywords: Any) -> None:
        for name, value in values.items():
            if isinstance(value, dict):
                self.log({f"{name}/{key}": item for key, item in value.items()}, step, **keywords)
            elif value is not None:
                self.sw.log(name, value, step=step, **keywords)

    @on_main_process
    def log_images(self, values: dict[str, Any], step: int | None = None, **keywords: Any) -> None:
        for name, images in values.items():
            self.sw.log(name, [stepwatch.Image(image, **keywords) for image in images])

    @on_main_process
    def log_table(self, table_name: str, columns: list[str] | None = None, data: list[list[Any]] | None = None,
                  dataframe: Any = None, step: int | None = None, **keywords: Any) -> None:
        self.sw.log(table_name, stepwatch.Table(dataframe if dataframe is not None else data, columns))

    @on_main_process
    def finish(self) -> None:
        self.sw.close()
