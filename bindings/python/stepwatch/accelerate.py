# SPDX-License-Identifier: MIT
"""A tracker for accelerate: ``Accelerator(log_with=StepwatchTracker("run", logger_callback=["tensorboard"]))``."""
from __future__ import annotations

from typing import Any

from accelerate.tracking import GeneralTracker, on_main_process

import stepwatch


class StepwatchTracker(GeneralTracker):
    """Logs what a program logs with accelerate to the sinks of stepwatch.

    sw: an open stepwatch.Profiler; without it, one is opened with the other arguments of stepwatch.open().
    """

    name = "stepwatch"
    requires_logging_directory = False
    main_process_only = True
    tracker = property(lambda self: self.sw)

    @on_main_process
    def __init__(self, run_name: str = "stepwatch", sw: stepwatch.Profiler | None = None, **options: Any) -> None:
        super().__init__()
        self.run_name = run_name
        self.sw = stepwatch.open(name=run_name, **options) if sw is None else sw

    @on_main_process
    def store_init_configuration(self, values: dict[str, Any]) -> None:
        self.sw.hparams(values)

    @on_main_process
    def log(self, values: dict[str, Any], step: int | None = None, **keywords: Any) -> None:
        for name, value in values.items():
            if isinstance(value, dict):
                self.log({f"{name}/{key}": item for key, item in value.items()}, step, **keywords)
            else:
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
