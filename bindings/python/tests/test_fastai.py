# SPDX-License-Identifier: MIT
"""The adapter for fastai: fastxtend's own reports on a made-up clock, and a real fit."""
import contextlib
import io
import json
import os
import pickle
import sys
import tempfile
import types
import unittest
import unittest.mock

import stepwatch

FOLDER = os.path.join(os.environ.get("STEPWATCH_GOLDEN", ""), "fastxtend")

try:
    import fastai
except ImportError:
    fastai = None


def _load_adapter():
    """The adapter, on machines without fastai with classes that do what it needs of theirs."""
    if fastai:
        from stepwatch import fastai as adapter
        return adapter
    names = [types.ModuleType(name) for name in ("fastai", "fastai.callback", "fastai.callback.core", "fastai.learner")]
    package, callback, core, learner = names
    core.Callback = type("Callback", (), {"learn": None})
    core.event = type("event", (), {})
    core._inner_loop = ["before_batch"]
    learner.Learner = type("Learner", (), {})
    learner._loop = ["Start Batch Loop", "before_batch"]
    package.callback, package.learner, callback.core = callback, learner, core
    sys.modules.update({module.__name__: module for module in names})
    try:
        from stepwatch import fastai as adapter
    finally:
        for module in names:
            del sys.modules[module.__name__]
    return adapter


adapter = _load_adapter()


class Learn:
    """A learner whose batch has a size."""

    yb = ()
    path = "."

    def remove_cbs(self, callbacks):
        pass


@unittest.skipUnless(os.path.isdir(FOLDER), "the golden reports are not here: set STEPWATCH_GOLDEN")
class Golden(unittest.TestCase):
    """Calls the callbacks at the times at which fastxtend's classes were called."""

    def play(self, name, **arguments):
        with open(os.path.join(FOLDER, f"{name}.json")) as file:
            script = json.load(file)
        learn = Learn()
        early = adapter.ProfileCallback(script["mode"], **script["options"], **arguments)
        late = early._late
        object.__setattr__(early, "learn", learn)
        object.__setattr__(late, "learn", learn)
        methods = {("begin", "epoch"): early.before_epoch, ("begin", "train"): early.before_train,
                   ("begin", "valid"): early.before_validate, ("begin", "draw"): early.before_draw,
                   ("begin", "batch"): early.before_batch, ("end", "forward"): late.after_pred, ("end", "predict"): late.after_pred,
                   ("end", "loss"): late.after_loss, ("begin", "backward"): early.before_backward,
                   ("end", "backward"): early.before_step, ("end", "opt_step"): late.after_step,
                   ("end", "zero_grad"): early.after_batch, ("end", "batch"): late.after_batch, ("end", "train"): late.after_train,
                   ("end", "valid"): late.after_validate, ("end", "epoch"): late.after_epoch, ("end", "fit"): late.after_fit}
        said = io.StringIO()
        early.sw = stepwatch.open(**early._options)
        early.sw.set_clock(0)
        early.before_fit()
        with contextlib.redirect_stdout(said):
            for event in script["events"]:
                if early.sw is not None:
                    early.sw.set_clock(event["t_ns"])
                if event.get("batch_size"):
                    learn.yb = ([0] * event["batch_size"],)
                if event["action"] == "fit" and event["ev"] == "end" and "cancelled" in name:
                    late.after_cancel_fit()
                if event["action"] == "batch" and event["ev"] == "end" and early._inner == stepwatch.OPT_STEP:
                    early.after_cancel_batch()  # the gradients are accumulated
                method = methods.get((event["ev"], event["action"]))
                if method:
                    method()
        return learn, said.getvalue(), script["expected"]

    def test_reports_are_those_of_fastxtend(self):
        for name in ("simple_2epoch_ragged", "simple_earlystop", "simple_nodrop_scales", "throughput_3epoch_roll5",
                     "spec_fit_cancelled_mid_batch", "spec_gradient_accumulation", "spec_no_valid_batches"):
            with tempfile.TemporaryDirectory() as folder:
                Learn.path = folder
                learn, said, expected = self.play(name, save_csv=True)
                plain = expected.get("stdout_plain")
                if plain:
                    self.assertEqual(said, plain, name)
                else:
                    self.assertIn(expected["plain"], said, name)
                _, said, _ = self.play(name, markdown=True)
                self.assertTrue(said.startswith(expected["markdown"]), name)
                csv = "throughput.csv" if name.startswith("throughput") else "simpleprofiler.csv"
                with open(os.path.join(folder, csv)) as file:
                    self.assert_csv(file.read(), expected["csv"], name)

    def assert_csv(self, written, expected, name):
        self.assertEqual(len(written.splitlines()), len(expected.splitlines()), name)
        for ours, theirs in zip(written.splitlines(), expected.splitlines()):
            for a, b in zip(ours.split(","), theirs.split(",")):
                try:
                    self.assertAlmostEqual(float(a), float(b), delta=1e-9 * abs(float(b)), msg=name)
                except ValueError:
                    self.assertEqual(a, b, name)

    def test_rolling_figures_are_those_of_fastxtend(self):
        rows = []

        @stepwatch.sink("rolling", wants=["metrics"])
        def rolling(record):
            rows.append((record.step, record.metrics))
        for name in ("simple_2epoch_ragged", "throughput_3epoch_roll5"):
            rows.clear()
            _, _, expected = self.play(name, logger_callback=["rolling"], show_report=False)
            figures = [(step, {key: value for key, value in metrics.items() if key.startswith("throughput/")})
                       for step, metrics in rows]
            self.assertEqual([step for step, values in figures if values], [row["step"] for row in expected["rolling"]])
            for (_, ours), theirs in zip((row for row in figures if row[1]), expected["rolling"]):
                self.assertEqual(ours.keys(), theirs["values"].keys())
                for key, value in theirs["values"].items():
                    self.assertAlmostEqual(ours[key], value, delta=1e-9 * abs(value))


@unittest.skipUnless(fastai, "fastai is not installed")
class RealFit(unittest.TestCase):
    def learner(self, callbacks=()):
        import torch
        from fastai.data.core import DataLoaders
        import fastai.callback.progress  # for no_bar()
        from fastai.learner import Learner
        torch.manual_seed(1)
        data = [(torch.randn(3), torch.randn(1)) for _ in range(40)]
        loaders = DataLoaders.from_dsets(data, data[:16], bs=8, device="cpu", num_workers=0)
        return Learner(loaders, torch.nn.Linear(3, 1), loss_func=torch.nn.MSELoss(), cbs=list(callbacks))

    def fit(self, learn, **options):
        learn.profile("simple", show_report=False, **options)
        with learn.no_bar(), learn.no_logging():
            learn.fit(2)
        return learn.profile_report

    def test_every_action_is_counted(self):
        learn = self.learner()
        report = self.fit(learn)
        counts = {(row.phase, row.action): row.calls for row in report.rows if row.calls}
        self.assertEqual(counts, {("fit", "fit"): 1, ("fit", "epoch"): 2, ("fit", "train"): 2, ("fit", "valid"): 2,
                                  **{("train", name): 9 for name in ("step", "draw", "batch", "forward", "loss", "backward",
                                                                     "opt_step", "zero_grad")},
                                  **{("valid", name): 3 for name in ("step", "draw", "batch", "predict", "loss")}})
        self.assertEqual(report.misuses, {})
        self.assertFalse([callback for callback in learn.cbs if isinstance(callback, adapter.ProfileCallback)])
        del learn.profile_report
        learn.fit(1)
        self.assertFalse(hasattr(learn, "profile_report"))

    def test_a_learner_is_profiled_again_and_again(self):
        learn = self.learner()
        for _ in range(2):
            learn.profile("throughput", show_report=False)
            self.assertEqual(self.fit(learn).row("train", "forward").calls, 9)
        loss, learn.loss_func, said = learn.loss_func, lambda *args: 1 / 0, []
        with self.assertRaises(ZeroDivisionError):
            self.fit(learn, messages=lambda level, text: said.append(text))
        learn.loss_func = loss
        with learn.no_bar(), learn.no_logging():
            learn.fit(1)
        self.assertEqual((learn.profile_report.misuses, said), ({}, []))

    def test_a_fit_that_fails_leaves_nothing_to_warn_of(self):
        learn, said = self.learner(), []
        learn.loss_func = lambda *args: 1 / 0
        with self.assertRaises(ZeroDivisionError):
            self.fit(learn, messages=lambda level, text: said.append(text))
        for profiler in list(stepwatch._endings.opened.values()):  # as at the end of the program
            profiler.close()
        self.assertEqual(said, [])

    def test_a_learner_can_be_exported_before_and_after_a_fit(self):
        learn = self.learner()
        pickle.loads(pickle.dumps(learn.profile("simple")))
        copied = pickle.loads(pickle.dumps(self.fit(learn)))
        self.assertEqual(str(copied), str(learn.profile_report))
        pickle.loads(pickle.dumps(learn))

    @unittest.mock.patch.dict(os.environ, {"STEPWATCH": "off"})
    def test_a_profiler_that_is_off_leaves_the_learner(self):
        learn = self.learner()
        learn.profile("simple", save_csv=True)
        with learn.no_bar(), learn.no_logging():
            learn.fit(1)
        self.assertFalse(hasattr(learn, "profile_report"))
        self.assertNotIn("all_batches", vars(learn))

    def test_accumulated_gradients_have_fewer_steps(self):
        from fastai.callback.training import GradientAccumulation
        report = self.fit(self.learner([GradientAccumulation(16)]), drop_first_batch=False)
        self.assertEqual([report.row("train", name).calls for name in ("batch", "backward", "opt_step")], [10, 10, 5])
        self.assertEqual(report.misuses, {})

    def test_before_draw_is_an_event_for_everybody(self):
        from fastai.callback.core import Callback
        drawn = []

        class Draws(Callback):
            def before_draw(self):
                drawn.append(self.training)
        learn = self.learner([Draws()])
        self.fit(learn)
        self.assertGreaterEqual(drawn.count(True), 10)
        learn.profile()
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            adapter.show_training_loop(learn)
        self.assertRegex(said.getvalue(), r"before_draw *: .*ProfileCallback.*Draws")


if __name__ == "__main__":
    unittest.main()
