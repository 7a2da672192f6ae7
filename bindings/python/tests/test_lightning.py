# SPDX-License-Identifier: MIT
"""The adapter for Lightning: SimpleProfiler's own reports on a made-up clock, and its counts in a real run."""
import collections
import copy
import gc
import importlib
import json
import logging
import os
import pickle
import sys
import types
import unittest
import unittest.mock
import weakref

import stepwatch

GOLDEN = os.path.join(os.environ.get("STEPWATCH_GOLDEN", ""), "lightning", "simple_profiler.json")

try:
    import lightning.pytorch as pl
except ImportError:
    try:
        import pytorch_lightning as pl
    except ImportError:
        pl = None


class _Base:
    """What Lightning's classes do here, for machines without Lightning."""

    def __init__(self, dirpath=None, filename=None):
        self.dirpath, self.filename, self._stage = dirpath, filename, None

    def setup(self, stage, local_rank=None, log_dir=None):
        self._stage = stage

    def teardown(self, stage):
        pass

    def __del__(self):
        self.teardown(self._stage)


if pl is None:
    for name, base in (("lightning.pytorch.loggers", "Logger"), ("lightning.pytorch.profilers", "Profiler")):
        module = types.ModuleType(name)
        setattr(module, base, _Base)
        sys.modules.update({"lightning": types.ModuleType("lightning"), "lightning.pytorch": types.ModuleType("lightning.pytorch"),
                            name: module})
    from stepwatch import lightning as adapter
    for name in list(sys.modules):
        if name.partition(".")[0] == "lightning":
            del sys.modules[name]
else:
    from stepwatch import lightning as adapter


@unittest.skipUnless(os.path.exists(GOLDEN), "the golden reports are not here: set STEPWATCH_GOLDEN")
class Golden(unittest.TestCase):
    def setUp(self):
        with open(GOLDEN) as file:
            self.golden = json.load(file)

    def play(self, events, **options):
        profiler = adapter.StepwatchProfiler(**options)
        self.addCleanup(profiler.close)
        self.addCleanup(setattr, adapter, "_MEANINGS", adapter._MEANINGS)
        adapter._MEANINGS = ()  # rows only: these names are of older versions
        profiler.sw.set_clock(0)
        for time_ns, event, name in events:
            profiler.sw.set_clock(time_ns)
            getattr(profiler, event)(name)
        return profiler

    def test_summaries_are_those_of_simple_profiler(self):
        for case in self.golden["cases"]:
            profiler = self.play(case["events"], extended=case["extended"])
            profiler.sw.set_clock(case["report_t_ns"])
            profiler._stage = case["stage"]
            self.assertEqual(profiler.summary(), case["summary"], case["name"])

    def test_errors_are_those_of_simple_profiler(self):
        for case in self.golden["errors"]:
            with self.assertRaises(ValueError) as caught:
                self.play(case["events"])
            self.assertEqual(str(caught.exception), case["error"])


class Hooks(unittest.TestCase):
    """The order of Lightning's hooks in a batch, on a made-up clock."""

    def test_what_follows_backward_in_optimizer_step_is_the_step(self):
        profiler = adapter.StepwatchProfiler()
        sw, now = profiler.sw, 0
        sw.set_clock(0)
        module, strategy = "[LightningModule]M.", "[Strategy]S."
        for action in ("+" + module + "on_fit_start", "-" + module + "on_fit_start", "+run_training_epoch",
                       "+[L].train_dataloader_next", "-[L].train_dataloader_next",
                       "+" + module + "on_train_batch_start", "-" + module + "on_train_batch_start",
                       "+" + module + "optimizer_step", "+" + strategy + "training_step", "-" + strategy + "training_step",
                       "+" + strategy + "backward", "-" + strategy + "backward", "-" + module + "optimizer_step",
                       "+" + module + "on_train_batch_end", "-" + module + "on_train_batch_end", "-run_training_epoch",
                       "+" + module + "on_fit_end", "-" + module + "on_fit_end"):
            now += 10
            sw.set_clock(now)
            profiler._steps.samples = 4
            (profiler.start if action[0] == "+" else profiler.stop)(action[1:])
        report = sw.report()
        self.assertEqual(report.misuses, {})
        for name, total in (("draw", 10), ("batch", 90), ("forward", 10), ("backward", 10), ("opt_step", 10)):
            self.assertEqual((report.row("train", name).calls, report.row("train", name).total_ns), (1, total), name)
        self.assertEqual(report.row("train", "step").samples_per_s, 4e9 / 100)
        profiler.close()

    def test_a_validation_that_fails_leaves_nothing_to_warn_of(self):
        said = []
        profiler = adapter.StepwatchProfiler(messages=lambda level, text: said.append(text))
        for hook in ("on_fit_start", "on_validation_start", "on_validation_batch_start"):
            profiler.start(f"[LightningModule]M.{hook}")
            profiler.stop(f"[LightningModule]M.{hook}")
        profiler.close()
        self.assertEqual(said, [])

    def test_an_optimizer_may_run_its_closure_again(self):
        """As LBFGS does: the step is one, with what the closure does again inside of it."""
        profiler = adapter.StepwatchProfiler()
        self.addCleanup(profiler.close)
        with profiler.sw.fit, profiler.sw.train:
            profiler.start("[LightningModule]M.optimizer_step")
            for action in ["[Strategy]S.training_step", "[Strategy]S.backward"] * 3:
                profiler.start(action)
                profiler.stop(action)
            profiler.stop("[LightningModule]M.optimizer_step")
        report = profiler.sw.report()
        self.assertEqual([report.row("train", name).calls for name in ("forward", "backward", "opt_step")], [3, 3, 1])
        self.assertEqual(report.misuses, {})

    def test_the_step_of_a_module_that_optimizes_by_itself_is_the_step(self):
        profiler = adapter.StepwatchProfiler()
        with profiler.sw.fit, profiler.sw.train:
            profiler.start("optimizer_step")
            profiler.stop("optimizer_step")
        report = profiler.sw.report()
        self.assertEqual([report.row("train", name).calls for name in ("opt_step", "optimizer_step")], [1, 1])
        profiler.close()


class Mistakes(unittest.TestCase):
    def test_a_profiler_that_cannot_be_opened_only_says_why(self):
        with unittest.mock.patch.object(sys, "unraisablehook") as unraisable:
            with self.assertRaisesRegex(stepwatch.Error, "nonsense is not a mode"):
                adapter.StepwatchProfiler(mode="nonsense")
            gc.collect()
        unraisable.assert_not_called()


class Copies(unittest.TestCase):
    def test_a_profiler_of_another_process_and_one_that_is_off_have_no_summary(self):
        profiler = adapter.StepwatchProfiler()
        copies = [pickle.loads(pickle.dumps(profiler))] if pl else []
        with unittest.mock.patch.dict(os.environ, {"STEPWATCH": "off"}):
            copies.append(adapter.StepwatchProfiler())
        profiler.close()
        for copy in [*copies, profiler]:
            copy.start("an action")
            copy.stop("an action")
            self.assertEqual(copy.summary(), "")

    def test_nothing_is_left_of_a_closed_profiler(self):
        profiler = adapter.StepwatchProfiler()
        profiler.start("[Strategy]SingleDeviceStrategy.training_step")
        profiler.close()
        profiler.stop("[Strategy]SingleDeviceStrategy.training_step")
        left = weakref.ref(profiler), weakref.ref(profiler.sw)
        del profiler
        gc.collect()
        self.assertEqual([ref() for ref in left], [None, None])

    def test_hyperparameters_may_be_missing(self):
        logger = adapter.StepwatchLogger(logger_callback=[], show_report=False)
        for params in (None, {"lr": 0.1}, types.SimpleNamespace(lr=0.1)):
            logger.log_hyperparams(params)
        logger.sw.close()


@unittest.skipUnless(pl, "lightning is not installed")
class RealRun(unittest.TestCase):
    def fit(self, profiler, **options):
        import torch
        BoringModel = importlib.import_module(f"{pl.__name__}.demos.boring_classes").BoringModel
        logging.getLogger(pl.__name__).setLevel(logging.ERROR)
        torch.manual_seed(1)
        trainer = pl.Trainer(max_epochs=2, limit_train_batches=7, limit_val_batches=3, profiler=profiler, accelerator="cpu",
                             enable_progress_bar=False, enable_model_summary=False, enable_checkpointing=False,
                             **{"logger": False, **options})
        trainer.fit(BoringModel())

    def test_counts_are_those_of_simple_profiler(self):
        SimpleProfiler = importlib.import_module(f"{pl.__name__}.profilers").SimpleProfiler
        for options in ({}, {"accumulate_grad_batches": 2}, {"val_check_interval": 3}, {"max_steps": 4}):
            theirs, ours = SimpleProfiler(), adapter.StepwatchProfiler()
            self.fit(theirs, **options)
            self.fit(ours, **options)
            report, counts = ours.sw.report(), collections.Counter()
            for row in report.rows:
                if row.action in ours._names:
                    counts[row.action] += row.calls
            self.assertEqual(counts, {name: len(calls) for name, calls in theirs.recorded_durations.items()})
            steps = counts["[LightningModule]BoringModel.optimizer_step"]
            self.assertEqual(report.misuses, {})
            self.assertEqual(report.row("train", "opt_step").calls, steps)
            self.assertEqual(report.row("train", "forward").calls, counts["run_training_batch"])
            self.assertEqual(report.row("train", "batch").rates.count, counts["run_training_batch"])
            ours.close()

    def test_a_training_after_one_that_failed_is_measured(self):
        class Fails(pl.Callback):
            def on_before_backward(self, trainer, module, loss):
                raise RuntimeError
        said = []
        profiler = adapter.StepwatchProfiler(messages=lambda level, text: said.append(text))
        with self.assertRaises(RuntimeError):
            self.fit(profiler, callbacks=[Fails()])
        self.fit(profiler)
        report = profiler.sw.report()
        profiler.close()
        self.assertEqual((report.fit, report.row("train", "batch").calls, report.misuses, said), (2, 14, {}, []))

    def test_a_module_can_be_copied_and_saved_while_it_is_profiled(self):
        saved = []

        class Save(pl.Callback):
            def on_train_batch_end(self, trainer, module, *args):
                saved.extend((copy.deepcopy(module), pickle.loads(pickle.dumps(module))))
        with adapter.StepwatchProfiler().sw as sw:
            self.fit(adapter.StepwatchProfiler(sw), callbacks=[Save()])
            self.assertEqual(sw.report().row("train", "batch").rates.count, 14)
        self.assertEqual(len(saved), 28)

    def test_the_logger_gets_what_device_stats_monitor_logs(self):
        DeviceStatsMonitor = importlib.import_module(f"{pl.__name__}.callbacks").DeviceStatsMonitor
        names = set()

        @stepwatch.sink("lightning_names", wants=["metrics"])
        def lightning_names(record):
            names.update(record.metrics)
        logger = adapter.StepwatchLogger(logger_callback=["lightning_names"], show_report=False)
        self.fit(None, logger=logger, callbacks=[DeviceStatsMonitor(cpu_stats=True)], log_every_n_steps=1)
        logger.sw.close()
        self.assertIn("DeviceStatsMonitor.on_train_batch_start/cpu_percent", names)


if __name__ == "__main__":
    unittest.main()
