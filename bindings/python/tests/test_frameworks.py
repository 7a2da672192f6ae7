# SPDX-License-Identifier: MIT
"""The adapters for torch, transformers and accelerate, with the real packages. Each is skipped where its package is missing."""
import collections
import copy
import inspect
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import unittest.mock
import warnings

import stepwatch

QUIET = {"mode": "simple", "drop_first_batch": False, "logger_callback": [], "show_report": False}


def importable(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False


def calls(report):
    counts = collections.Counter()
    for row in report.rows:
        if row.calls:
            counts[row.phase, row.action] += row.calls
    return counts


@unittest.skipUnless(importable("torch"), "torch is not installed")
class Torch(unittest.TestCase):
    def setUp(self):
        import torch
        torch.manual_seed(0)
        self.torch = torch
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 2))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.criterion = torch.nn.CrossEntropyLoss()
        self.data = [(torch.randn(4, 8), torch.tensor([0, 1, 0, 1])) for _ in range(5)]
        self.sw = stepwatch.open(**QUIET)
        self.addCleanup(self.sw.close)

    def loop(self):
        for x, y in self.sw.draws(self.data):
            with self.torch.autograd.profiler.record_function("mine"):
                self.criterion(self.model(x), y).backward()
                self.optimizer.step()
                self.optimizer.zero_grad()

    def profile(self, **options):
        """torch's own profiler, without the calls of CUDA's runtime that it makes on a machine with a GPU."""
        return self.torch.profiler.profile(activities=[self.torch.profiler.ProfilerActivity.CPU], **options)

    def test_a_loop_without_marks(self):
        from stepwatch.torch import watch
        original = self.torch.autograd.backward
        with self.sw.fit, watch(self.sw, self.model, self.optimizer, self.criterion):
            scheduler = self.torch.optim.lr_scheduler.StepLR(self.optimizer, 2)
            with self.sw.epoch, self.sw.train:
                self.loop()
            scheduler.step()
            with self.sw.valid:
                self.model.eval()
                for x, _ in self.sw.draws(self.data):
                    self.model(x)
        report = self.sw.report()
        self.assertEqual({name: report.row("train", name).calls for name in ("forward", "loss", "backward", "opt_step", "zero_grad")},
                         {"forward": 5, "loss": 5, "backward": 5, "opt_step": 5, "zero_grad": 5})
        self.assertEqual(report.row("valid", "predict").calls, 5)
        self.assertEqual(report.row("train", "batch").rates.count, 5)
        self.assertEqual(report.misuses, {})
        self.loop()  # nothing is left of watch()
        self.assertIs(self.torch.autograd.backward, original)
        self.assertEqual(self.sw.report().row("train", "forward").calls, 0)

    def test_two_models_are_watched_at_once(self):
        from stepwatch.torch import watch
        original = self.torch.autograd.backward
        step = self.optimizer.step
        first, second = watch(self.sw, self.model, self.optimizer), watch(self.sw, self.torch.nn.Linear(1, 1), self.optimizer)
        with self.sw.fit, self.sw.train:
            self.loop()
            first.remove()
            self.loop()
        second.remove()
        report = self.sw.report()
        self.assertEqual([report.row("train", name).calls for name in ("backward", "opt_step", "zero_grad")], [10, 10, 10])
        self.assertEqual(report.misuses, {})
        self.assertIs(self.torch.autograd.backward, original)
        self.assertEqual(self.optimizer.step, step)

    def test_a_model_that_fails_leaves_nothing_open(self):
        from stepwatch.torch import watch
        with self.sw.fit, self.sw.train, watch(self.sw, self.model):
            for size in 8, 9, 8:
                try:
                    self.model(self.torch.ones(1, size))
                except RuntimeError:
                    pass
        report, hook = self.sw.report(), self.torch.nn.Module.register_forward_hook
        self.assertEqual((report.row("train", "forward").calls, report.misuses), (3 if "always_call" in inspect.signature(hook).parameters else 2, {}))

    def test_a_model_that_fails_is_left_out_where_torch_does_not_tell(self):
        register = self.torch.nn.Module.register_forward_hook
        with unittest.mock.patch.object(self.torch.nn.Module, "register_forward_hook", lambda self, hook: register(self, hook)):  # before torch 2.0
            self.test_a_model_that_fails_leaves_nothing_open()

    def test_a_model_may_call_itself_and_run_in_several_threads(self):
        from stepwatch.torch import watch

        class Again(self.torch.nn.Module):
            def forward(self, x):
                barrier.wait(60)
                return self(x[1:]) if len(x) > 1 else x
        model, barrier = Again(), threading.Barrier(3)
        with self.sw.fit, watch(self.sw, model, shapes=True):
            threads = [threading.Thread(target=model, args=(self.torch.ones(3, size),)) for size in (1, 2, 3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        report = self.sw.report()
        self.assertEqual({row.shape: row.calls for row in report.shaped if row.shape}, {f"[[3, {size}]]": 1 for size in (1, 2, 3)})
        self.assertEqual(report.misuses, {})

    def test_a_criterion_that_is_a_function_has_no_row(self):
        from stepwatch.torch import watch
        self.criterion = self.torch.nn.functional.cross_entropy
        with self.sw.fit, self.sw.train, watch(self.sw, self.model, self.optimizer, self.criterion):
            self.loop()
        self.assertEqual([self.sw.report().row("train", name).calls for name in ("forward", "loss", "backward")], [5, 0, 5])

    def test_a_watch_that_fails_takes_off_what_it_has_added(self):
        from stepwatch.torch import watch
        with self.assertRaises(AttributeError):
            watch(self.sw, self.model, optimizer=5)
        with self.sw.fit, self.sw.train:
            self.model(self.torch.ones(1, 8))
        self.assertEqual(self.sw.report().row("train", "forward").calls, 0)

    def test_a_model_can_be_copied_and_saved_while_it_is_watched(self):
        from stepwatch.torch import watch
        with self.sw.fit, self.sw.train, watch(self.sw, self.model, self.optimizer, self.criterion, shapes=True):
            saved = pickle.loads(pickle.dumps((self.model, self.optimizer, self.criterion)))
            for model in self.model, copy.deepcopy(self.model), saved[0]:
                model(self.torch.ones(1, 8))
        self.assertEqual(self.sw.report().row("train", "forward").calls, 2)  # not that of the file

    def test_a_scheduler_from_before_keeps_its_hold_of_the_optimizer(self):
        from stepwatch.torch import watch
        scheduler = self.torch.optim.lr_scheduler.StepLR(self.optimizer, 2)
        step = self.optimizer.step
        with self.sw.fit, self.sw.train, watch(self.sw, self.model, self.optimizer):
            self.loop()
        self.assertEqual(self.optimizer.step, step)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scheduler.step()

    def test_a_scheduler_that_comes_later_goes_on_after_the_watch(self):
        from stepwatch.torch import watch
        with watch(self.sw, self.model, self.optimizer):
            scheduler = self.torch.optim.lr_scheduler.StepLR(self.optimizer, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(2):
                with self.sw.fit, self.sw.train, watch(self.sw, self.model, self.optimizer):
                    self.loop()
                scheduler.step()
                self.assertEqual(self.sw.report().row("train", "opt_step").calls, 5)
        with self.sw.fit, self.sw.train:
            self.loop()
        self.assertEqual(self.sw.report().row("train", "opt_step").calls, 0)

    def test_what_is_watched_keeps_its_signature(self):
        from stepwatch.torch import watch
        signatures = [inspect.signature(getattr(self.optimizer, name)) for name in ("step", "zero_grad")]
        with watch(self.sw, self.model, self.optimizer):
            self.assertEqual([inspect.signature(getattr(self.optimizer, name)) for name in ("step", "zero_grad")], signatures)

    def test_tensors_are_logged(self):
        got = []

        @stepwatch.sink("tensors", wants=["metrics", "value"])
        def tensors(record):
            got.append(record)
        with stepwatch.open(logger_callback=["tensors"], show_report=False) as sw:
            sw.log("loss", self.torch.tensor(0.5, requires_grad=True))
            sw.log("one", self.torch.tensor([[2.0]]))
            for dtype in ("float16", "bfloat16", "int16"):
                sw.log(dtype, self.torch.ones(3, 2).t().to(getattr(self.torch, dtype)))
            sw.log("image", stepwatch.Image(self.torch.rand(3, 4, 5), layout="chw"))
            sw.log("sparse", self.torch.eye(3).to_sparse())
            sw.log("rows", self.torch.eye(3).to_sparse_csr())
            sw.log("quantized", self.torch.quantize_per_tensor(self.torch.ones(3), 0.1, 0, self.torch.quint8))
            sw.log("columns", stepwatch.Table({"whole": self.torch.tensor([1, 2]), "right": self.torch.tensor([True, False])}))
            sw.log("cells", stepwatch.Table(self.torch.eye(2, requires_grad=True), ["a", "b"]))
            for refused in (self.torch.zeros((), device="meta"), self.torch.zeros(3, device="meta"), self.torch.tensor([1j, 2]),
                            self.torch.nested.nested_tensor([self.torch.ones(2), self.torch.ones(3)])):
                with self.assertRaisesRegex(TypeError, "^log: refused: "):
                    sw.log("refused", refused)
        self.assertEqual({name: value for record in got if record.type == "metrics" for name, value in record.metrics.items()},
                         {"loss": 0.5, "one": 2.0})
        values = {record.value["name"]: record.value["value"] for record in got if record.type == "value"}
        self.assertEqual([sum(count for _, _, count in values[name]) for name in
                          ("float16", "bfloat16", "int16", "sparse", "rows", "quantized")], [6, 6, 6, 9, 9, 3])
        self.assertEqual(stepwatch.samples_of(self.torch.nested.nested_tensor([self.torch.ones(2), self.torch.ones(3)])), 0)
        self.assertEqual((values["image"][0]["width"], values["image"][0]["height"]), (5, 4))
        self.assertEqual((values["columns"], values["cells"]), ({"whole": [1, 2], "right": [True, False]}, {"a": [1, 0], "b": [0, 1]}))
        self.assertIs(type(values["columns"]["whole"][0]), int)

    def test_what_torch_compiles_may_call_the_profiler(self):
        def step(x):
            loss = x.sum()
            with self.sw.forward, self.sw.region("mine"), self.sw.span("background"):
                loss = loss + 1
            if self.sw.is_on:
                self.sw.log("loss", loss)
            self.sw.log("a text", "text")
            self.sw.step = self.sw.step + 1
            return loss
        compiled = self.torch.compile(step, backend="eager")
        with self.sw.fit:
            self.assertEqual([compiled(self.torch.ones(size)).item() for size in (3, 3, 5)], [4, 4, 6])
        self.assertEqual(self.sw.step, 3)
        self.assertEqual(self.sw.report().row("fit", "forward").calls, 3)

    @unittest.skipUnless(os.environ.get("STEPWATCH_OBSERVER"), "the observer takes a minute to compile: set STEPWATCH_OBSERVER=1")
    def test_operators_are_counted_as_torch_counts_them(self):
        from stepwatch.torch import observe
        self.loop()  # the first step does more than the others
        with observe(self.sw, shapes=True), self.profile(record_shapes=True) as profiler:
            self.loop()
        ours = collections.Counter()
        for (_, action), count in calls(self.sw.report()).items():
            ours[action] += count
        theirs = {event.key: event.count for event in profiler.key_averages()}
        self.assertEqual({name: ours[name] for name in theirs if not name.startswith("ProfilerStep")}, theirs)
        table = self.sw.report().text(style="torch", sort="self_cpu_time_total", limit=-1, advice=False)
        self.assertIn("aten::", table)
        self.assertIn("[[4, 8]", self.sw.report().text(style="torch", group_by="shape", limit=-1))

    @unittest.skipUnless(os.environ.get("STEPWATCH_OBSERVER"), "the observer takes a minute to compile: set STEPWATCH_OBSERVER=1")
    def test_shapes_where_the_compiler_links_its_library_into_the_observer(self):
        program = """if True:
            import torch, stepwatch
            from stepwatch.torch import observe
            sw = stepwatch.open(mode="simple", logger_callback=[], show_report=False)
            with sw, observe(sw, shapes=True):
                torch.ones(2, 3).add(torch.zeros(3))
                print([row.shape for row in sw.report().shaped if row.action == "aten::add"])"""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/g++", "w") as compiler:
                compiler.write('#!/bin/sh\nexec g++ "$@" -static-libstdc++ -static-libgcc\n')
            os.chmod(compiler.name, 0o755)
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True,
                                  env=dict(os.environ, CXX=compiler.name, TORCH_EXTENSIONS_DIR=folder))
        self.assertEqual((done.stdout, done.returncode), ("['[[2, 3], [3], []]']\n", 0), done.stderr)

    @unittest.skipUnless(os.environ.get("STEPWATCH_OBSERVER"), "the observer takes a minute to compile: set STEPWATCH_OBSERVER=1")
    def test_close_ends_the_observation(self):
        from stepwatch.torch import observe
        first = stepwatch.open(**QUIET)
        observe(first)
        with self.assertRaisesRegex(stepwatch.Error, "torch is observed already"):
            observe(self.sw)
        first.close()
        self.loop()
        with observe(self.sw):
            self.loop()
        self.assertEqual(self.sw.report().misuses, {})

    @unittest.skipUnless(os.environ.get("STEPWATCH_OBSERVER"), "the observer takes a minute to compile: set STEPWATCH_OBSERVER=1")
    def test_a_killed_compilation_leaves_no_lock_to_wait_for(self):
        from torch.utils import cpp_extension
        from stepwatch.torch import _extension, observe
        lock = os.path.join(cpp_extension._get_build_directory("stepwatch_observer", False), "lock")
        with open(lock, "w"):
            _extension.cache_clear()
        with observe(self.sw):
            self.loop()
        self.assertFalse(os.path.exists(lock) and hasattr(cpp_extension, "FileBaton"))  # newer ones keep a file that they lock

    @unittest.skipUnless(os.environ.get("STEPWATCH_OBSERVER"), "the observer takes a minute to compile: set STEPWATCH_OBSERVER=1")
    def test_flops_are_those_of_torch(self):
        from stepwatch.torch import observe
        with observe(self.sw, flops=True), self.profile(record_shapes=True, with_flops=True) as profiler:
            self.loop()
        ours = collections.Counter()
        for row in self.sw.report().rows:
            ours[row.action] += row.self_counters.get("flops", 0)
        theirs = {event.key: event.flops for event in profiler.key_averages() if event.flops}
        self.assertTrue(theirs)
        self.assertEqual({name: flops for name, flops in ours.items() if flops}, theirs)
        self.assertIn("FLOPs", self.sw.report().text(style="torch"))

    @unittest.skipUnless(os.environ.get("STEPWATCH_OBSERVER"), "the observer takes a minute to compile: set STEPWATCH_OBSERVER=1")
    def test_memory_is_that_of_the_events_of_torch(self):
        """By torch's tree of events: its table puts an allocation into each event of the same microsecond."""
        from stepwatch.torch import observe
        self.loop()  # the first step does more than the others
        with observe(self.sw, memory=True):
            self.loop()
        with self.profile(profile_memory=True) as profiler:
            with self.assertRaisesRegex(stepwatch.Error, "torch.profiler is running on this thread"):
                observe(self.sw, memory=True)
            self.loop()
        kinds, theirs, theirs_self = self.torch._C._profiler._EventType, collections.Counter(), collections.Counter()

        def walk(event, around):
            if event.typed[0] == kinds.Allocation and around:
                theirs.update(dict.fromkeys(around, event.typed[1].alloc_size))
                theirs_self[around[-1]] += event.typed[1].alloc_size
            inside = [*around, event.name] if event.typed[0] == kinds.TorchOp else around
            for child in event.children:
                walk(child, inside)
        for event in profiler.profiler.kineto_results.experimental_event_tree():
            walk(event, [])
        ours, ours_self = collections.Counter(), collections.Counter()
        for row in self.sw.report().rows:
            for counter, sign in (("tensor_allocated", 1), ("tensor_freed", -1)):
                ours[row.action] += sign * row.counters.get(counter, 0)
                ours_self[row.action] += sign * row.self_counters.get(counter, 0)
        for mine, of_torch in (ours, theirs), (ours_self, theirs_self):
            self.assertTrue(of_torch)
            self.assertEqual({name: mine[name] for name in of_torch}, of_torch)
        self.assertIn("Self CPU Mem", self.sw.report().text(style="torch", limit=3))


@unittest.skipUnless(importable("transformers") and importable("accelerate") and importable("torch"), "transformers is not installed")
class Transformers(unittest.TestCase):
    def arguments(self, folder, **options):
        """Arguments of a training on the CPU, by the names that this version has."""
        from transformers import TrainingArguments
        names = inspect.signature(TrainingArguments).parameters
        renamed = {"eval_strategy": "evaluation_strategy", "use_cpu": "no_cuda"}
        return TrainingArguments(folder, **{name if name in names else renamed[name]: value
                                            for name, value in {**options, "use_cpu": True}.items()})

    def test_counts_of_a_trainer(self):
        self.assertEqual(self.train(24), [6] * 8)

    def test_batches_that_are_too_few_to_accumulate_are_what_they_are_to_the_trainer(self):
        # Old versions carry the last batch over to the next epoch, and call on_step_begin() in the middle of its steps.
        self.assertIn(self.train(27), ([6, 6, 6, 6, 3] * 2, [6] * 4 + [3] * 4))

    def test_an_evaluation_after_a_training_that_failed_is_measured(self):
        from transformers import TrainerControl, TrainerState
        from stepwatch.transformers import StepwatchCallback
        with tempfile.TemporaryDirectory() as folder, stepwatch.open(**QUIET) as sw:
            given = self.arguments(folder), TrainerState(), TrainerControl()
            callback = StepwatchCallback(sw)
            for hook in ("on_train_begin", "on_prediction_step", "on_train_begin", "on_prediction_step", "on_evaluate"):
                getattr(callback, hook)(*given)
            report = sw.report()
            self.assertEqual((report.fit, report.row("fit", "valid").calls, report.misuses), (2, 1, {}))

    def test_a_training_that_fails_leaves_nothing_to_warn_of(self):
        from transformers import TrainerControl, TrainerState
        from stepwatch.transformers import StepwatchCallback
        said = []
        with tempfile.TemporaryDirectory() as folder, stepwatch.open(**QUIET, messages=lambda level, text: said.append(text)) as sw:
            given = self.arguments(folder), TrainerState(), TrainerControl()
            callback = StepwatchCallback(sw)
            for hook in ("on_train_begin", "on_epoch_begin", "on_step_begin"):
                getattr(callback, hook)(*given)
        self.assertEqual(said, [])

    def train(self, samples):
        """Returns the samples of each step."""
        import torch
        from transformers import Trainer, TrainerCallback
        from stepwatch.transformers import StepwatchCallback

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = torch.nn.Linear(4, 1)

            def forward(self, x, labels):
                out = self.linear(x).squeeze(-1)
                return {"loss": (out - labels).pow(2).mean(), "logits": out}
        data = [{"x": torch.randn(4), "labels": torch.randn(())} for _ in range(samples)]
        logged, steps = collections.Counter(), []

        @stepwatch.sink("trainer", wants=["metrics", "note", "step"])
        def trainer(record):
            if record.type == "step" and record.phase == "train" and record.samples >= 0:
                steps.append(record.samples)
            logged.update(list(record.metrics) if record.type == "metrics" else [record.type])

        class Saves(TrainerCallback):
            def on_save(self, *args, **keywords):
                logged["saved"] += 1
        with tempfile.TemporaryDirectory() as folder:
            arguments = self.arguments(folder, num_train_epochs=2, per_device_train_batch_size=3, gradient_accumulation_steps=2,
                                       per_device_eval_batch_size=6, eval_strategy="epoch", logging_steps=1, save_steps=3,
                                       disable_tqdm=True, report_to=[])
            sw = stepwatch.open(**{**QUIET, "logger_callback": ["trainer"]})
            done = Trainer(Model(), arguments, train_dataset=data, eval_dataset=data[:12], callbacks=[StepwatchCallback(sw), Saves()]).train()
            report = sw.report()
            sw.close()
        counts = calls(report)
        self.assertEqual({key: counts[key] for key in (("fit", "fit"), ("fit", "epoch"), ("fit", "train"), ("fit", "valid"),
                                                       ("train", "batch"))},
                         {("fit", "fit"): 1, ("fit", "epoch"): 2, ("fit", "train"): 2, ("fit", "valid"): 2,
                          ("train", "batch"): done.global_step})
        self.assertIn(counts["train", "draw"], (done.global_step, done.global_step + 1))  # a last one that was not enough for a step
        self.assertEqual(report.misuses, {})
        self.assertEqual((logged["loss"], logged["eval_loss"], logged["note"]), (done.global_step, 2, logged["saved"]))
        self.assertGreaterEqual(logged["saved"], 2)
        return steps


@unittest.skipUnless(importable("accelerate") and importable("torch"), "accelerate is not installed")
class Accelerate(unittest.TestCase):
    def setUp(self):
        from accelerate.state import PartialState
        PartialState(cpu=True)  # the first one decides for all that follow, also on a machine with a GPU

    def test_the_tracker_keeps_what_a_program_tracks(self):
        from accelerate import Accelerator
        from stepwatch.accelerate import StepwatchTracker
        got = []

        @stepwatch.sink("tracker", wants=["metrics", "hparam", "value", "end"])
        def tracker(record):
            got.append(record)
        accelerator = Accelerator(log_with=StepwatchTracker("run", logger_callback=["tracker"], show_report=False), cpu=True)
        accelerator.init_trackers("project", config={"lr": 0.1, "epochs": 3, "name": "small", "on": True})
        accelerator.log({"total_loss": 0.1, "iteration": 1, "my_text": "some_value", "per": {"class": 2}, "nothing": None}, step=5)
        accelerator.end_training()
        self.assertEqual({r.hparam["name"]: r.hparam["value"] for r in got if r.type == "hparam"},
                         {"lr": 0.1, "epochs": 3, "name": "small", "on": 1})
        self.assertEqual([(r.step, r.metrics) for r in got if r.type == "metrics"], [(5, {"total_loss": 0.1}), (5, {"iteration": 1}), (5, {"per/class": 2})])
        self.assertEqual([r.value["value"] for r in got if r.type == "value"], ["some_value"])
        self.assertEqual(got[-1].type, "end")

    def test_the_tracker_leaves_it_to_accelerate_to_set_up_the_processes(self):
        from accelerate.state import PartialState
        from stepwatch.accelerate import StepwatchTracker
        with unittest.mock.patch.dict(PartialState._shared_state, clear=True):
            tracker = StepwatchTracker(**QUIET)
            self.assertEqual(PartialState._shared_state, {})
        self.assertTrue(tracker.sw.is_on)
        self.assertIs(tracker.tracker, tracker.sw)
        tracker.finish()

    def test_all_but_the_main_process_track_nothing(self):
        from accelerate.state import PartialState
        from stepwatch.accelerate import StepwatchTracker
        with unittest.mock.patch.object(PartialState, "is_main_process", False):
            tracker = StepwatchTracker(**QUIET)
            tracker.log({"loss": 1})
            self.assertFalse(tracker.tracker.is_on)

    def test_steps_that_only_accumulate_are_not_counted(self):
        import torch
        from accelerate import Accelerator
        from stepwatch.torch import watch
        accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
        model = torch.nn.Linear(4, 1)
        model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
        with stepwatch.open(**QUIET) as sw, sw.fit, sw.train, watch(sw, model, optimizer):
            for x in sw.draws([torch.ones(3, 4)] * 6):
                with accelerator.accumulate(model):
                    accelerator.backward(model(x).sum())
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=True)
            report = sw.report()
        self.assertEqual([report.row("train", name).calls for name in ("forward", "backward", "opt_step", "zero_grad")], [6, 6, 3, 3])


@unittest.skipUnless(importable("nbclient") and importable("nbformat") and importable("ipykernel"), "nbclient is not installed")
class Notebook(unittest.TestCase):
    def test_progress_and_report_are_html(self):
        import nbclient
        import nbformat
        cells = ("import stepwatch\nsw = stepwatch.open(mode='simple', logger_callback=[], show_report=False)\nsw.live(interval=0.01)",
                 "with sw.fit, sw.epoch, sw.train:\n    for batch in sw.draws([[1, 2]] * 20):\n        with sw.forward:\n            pass",
                 "sw", "report = sw.report()\nsw.close()\nreport")
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        with tempfile.TemporaryDirectory() as folder:
            nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
        pages = ["".join(output["data"]["text/html"] for output in cell.outputs if "data" in output) for cell in book.cells]
        for page in pages[0], pages[2]:  # the last progress is that of the end
            self.assertIn("<p>Step 20</p><table>", page)
        self.assertTrue(pages[3].startswith("<table>"))
        self.assertEqual([output for cell in book.cells for output in cell.outputs if output.output_type == "error"], [])


if __name__ == "__main__":
    unittest.main()
