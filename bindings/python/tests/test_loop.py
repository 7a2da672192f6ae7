# SPDX-License-Identifier: MIT
"""The loop: regions, draws, events, what is logged, and reports."""
import asyncio
import collections
import copy
import decimal
import functools
import gc
import json
import math
import os
import pathlib
import pickle
import random
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import types
import unittest
import unittest.mock
import weakref

import stepwatch
from stepwatch import events

QUIET = {"logger_callback": [], "show_report": False}


def simple(**options):
    """A profiler whose clock is made up: each test sets it."""
    sw = stepwatch.open(mode="simple", drop_first_batch=False, **{**QUIET, **options})
    sw.set_clock(0)
    return sw


def calls(sw):
    return {(row.phase, row.action): row.calls for row in sw.report().rows if row.calls}


class Import(unittest.TestCase):
    def test_importing_loads_no_other_package(self):
        """Imports of modules such as re, typing and dataclasses take ten times as long as all of stepwatch."""
        program = "import os, sys; before = set(sys.modules); import stepwatch; print(*sorted(set(sys.modules) - before))"
        done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True)
        loaded = {name for name in done.stdout.split() if name.partition(".")[0] != "stepwatch"}
        self.assertLessEqual(loaded, {"__future__", "atexit", "_thread"})

    def test_a_python_without_a_gil_stays_without(self):
        without = sysconfig.get_config_var("Py_GIL_DISABLED") and not os.environ.get("PYTHON_GIL")
        self.assertEqual(getattr(sys, "_is_gil_enabled", lambda: True)(), not without)

    def test_all_names_are_there_when_they_are_used(self):
        self.assertLessEqual({*stepwatch.__all__}, {*dir(stepwatch)})
        for name in stepwatch.__all__:
            self.assertIsNotNone(getattr(stepwatch, name))
        with self.assertRaisesRegex(AttributeError, "'stepwatch' has no attribute 'nothing'"):
            stepwatch.nothing


class Regions(unittest.TestCase):
    def setUp(self):
        self.sw = simple()
        self.addCleanup(self.sw.close)

    def test_context_managers_measure_the_time_inside_of_them(self):
        with self.sw.fit(), self.sw.epoch(), self.sw.train():
            with self.sw.draw:
                self.sw.set_clock(10)
            with self.sw.batch:
                with self.sw.forward:
                    self.sw.set_clock(40)
                self.sw.set_clock(50)
                self.sw.end_batch(4)
        row = self.sw.report().row("train", "forward")
        self.assertEqual((row.calls, row.total_ns), (1, 30))
        self.assertEqual(self.sw.report().row("train", "draw").total_ns, 10)
        self.assertEqual(self.sw.report().row("train", "step").samples_per_s, 4e9 / 50)

    def test_begin_next_and_end_measure_the_same(self):
        self.sw.begin(stepwatch.DRAW)
        self.sw.next(stepwatch.BATCH)
        self.sw.begin("forward")
        self.sw.next(self.sw.loss)
        self.sw.end(stepwatch.LOSS)
        self.sw.end_batch(1)
        self.assertEqual(calls(self.sw)["train", "loss"], 1)
        self.assertEqual(calls(self.sw)["train", "forward"], 1)

    def test_a_name_has_one_region(self):
        self.assertIs(self.sw.region("mine"), self.sw.region("mine"))
        self.assertIs(self.sw.region("forward"), self.sw.forward)
        self.assertEqual(self.sw.region("mine").name, "mine")

    def test_an_action_is_known_by_its_value(self):
        class Changing:
            action = stepwatch.FORWARD

            def __index__(self):
                return self.action
        changing = Changing()
        for action, name in ((stepwatch.FORWARD, "forward"), (stepwatch.LOSS, "loss")):
            changing.action = action
            self.assertEqual(self.sw.region(changing).name, name)
            self.assertIs(self.sw.region(changing), self.sw.region(action))
        for i in range(200):  # more than the profiler finds by their address
            self.assertEqual(self.sw.region(f"name {i}").name, f"name {i}")
            self.assertIs(self.sw.region("".join(["name ", str(i)])), self.sw.region(f"name {i}"))
        other = simple()
        self.addCleanup(other.close)
        self.sw.begin(other.region("of another"))
        self.sw.end(other.region("of another"))
        self.assertEqual((calls(self.sw)["fit", "of another"], ("fit", "of another") in calls(other)), (1, False))

    def test_decorators_measure_functions(self):
        @self.sw.region("work")
        def work(x):
            "Doubles."
            return 2 * x
        self.assertEqual([work(x) for x in range(3)], [0, 2, 4])
        self.assertEqual(work.__doc__, "Doubles.")
        self.assertEqual(calls(self.sw)["fit", "work"], 3)

    def test_calls_of_async_functions_may_overlap(self):
        @self.sw.region("fetch")
        async def fetch():
            await asyncio.sleep(0)

        async def both():
            async with self.sw.span("all"):
                await asyncio.gather(fetch(), fetch())
        with self.sw.fit():
            asyncio.run(both())
        report = self.sw.report()
        self.assertEqual(report.row("spans", "fetch").calls, 2)
        self.assertEqual(report.row("spans", "all").calls, 1)
        self.assertEqual(report.misuses, {})

    def test_threads_have_rows_of_their_own(self):
        def load():
            for _ in range(100):
                with self.sw.region("load"):
                    pass
        with self.sw.fit():
            threads = [threading.Thread(target=load) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(calls(self.sw)["threads", "load"], 400)

    def test_an_exception_ends_the_region_and_cancels_the_batch(self):
        for error in (ValueError, KeyboardInterrupt):
            with self.assertRaises(error), self.sw.fit(), self.sw.epoch(), self.sw.train():
                with self.sw.draw:
                    pass
                with self.sw.batch:
                    with self.sw.forward:
                        raise error
            report = self.sw.report()
            self.assertEqual(report.row("train", "batch").calls, 0)
            self.assertEqual(report.row("fit", "train").calls, 1)

    def test_what_is_not_an_action_is_refused(self):
        with self.assertRaisesRegex(TypeError, "an action is a number"):
            self.sw.begin(1.5)
        with self.assertRaisesRegex(TypeError, "an action is a number"):
            self.sw.begin(-1)
        with self.assertRaisesRegex(TypeError, "generator"):
            @self.sw.region("pieces")
            def pieces():
                yield

    def test_surrogates_and_nul_are_names_too(self):
        for name in ("a\0b", "\udc80", "\ud800", "é" * 300):
            with self.sw.region(name):
                self.sw.log(name, 1.0)
        self.assertEqual(self.sw.region("a\0b").name, "a\\0b")

    def test_copies_of_a_model_measure_with_the_same_profiler(self):
        model = types.SimpleNamespace(sw=self.sw, forward=self.sw.forward)
        for copied in (copy.copy(model), copy.deepcopy(model)):
            self.assertIs(copied.sw, self.sw)
            self.assertIs(copied.forward, self.sw.forward)

    def test_copies_in_another_process_measure_nothing(self):
        sw, region = pickle.loads(pickle.dumps((self.sw, self.sw.region("mine"))))
        self.assertFalse(sw.is_on)
        with sw.fit, region:
            sw.log("x", 1.0)
        self.assertEqual(region.name, "mine")
        self.assertNotIn(("fit", "mine"), calls(self.sw))

    def test_a_class_of_your_own_needs_no_call_of_init(self):
        class Mine(stepwatch.Profiler):
            def __init__(self, name):
                self.name = name
        with Mine("run") as sw, sw.forward:
            sw.start("a hook")
        self.assertEqual((sw.name, sw.flush()), ("run", True))

    def test_what_is_awaited_is_a_span_also_of_an_object(self):
        class Fetch:
            async def __call__(self):
                await asyncio.sleep(0)

        class Pieces:
            def __call__(self):
                yield
        asyncio.run(self.sw.region("fetch")(Fetch())())
        self.assertEqual(calls(self.sw)["spans", "fetch"], 1)
        for pieces in (Pieces(), functools.partial(Pieces.__call__, None)):
            with self.assertRaisesRegex(TypeError, "is a generator"):
                self.sw.region("pieces")(pieces)

    def test_a_span_that_is_open_has_no_second_beginning(self):
        span = self.sw.span("fetch")
        with self.assertRaisesRegex(stepwatch.Error, "only one beginning at a time"), span, span:
            pass
        with span:
            pass
        self.assertEqual(calls(self.sw)["spans", "fetch"], 2)

    def test_methods_of_a_class_stay_what_they_are(self):
        class Model:
            @self.sw.region("static")
            @staticmethod
            def double(x):
                return 2 * x

            @self.sw.region("class")
            @classmethod
            def named(cls):
                return cls.__name__
        with self.sw.fit:
            self.assertEqual((Model().double(2), Model.double(2), Model().named()), (4, 4, "Model"))
        self.assertEqual((calls(self.sw)["fit", "static"], calls(self.sw)["fit", "class"]), (2, 1))

    def test_the_step_cannot_be_deleted(self):
        self.sw.step = 7
        with self.assertRaisesRegex(AttributeError, "deleter|can't delete"):
            del self.sw.step
        self.assertEqual(self.sw.step, 7)

    def test_only_a_profiler_makes_regions(self):
        for made in (type(self.sw.fit), type(self.sw.draws([]))):
            with self.assertRaisesRegex(TypeError, "only a profiler"):
                made()
        with self.assertRaisesRegex(stepwatch.Error, "off or closed"), stepwatch.Profiler() as sw, sw.fit:
            sw.log("x", 1)
            sw.report()
        for arguments in ({"mode": "simple"}, {"path": "stepwatch.yaml"}):
            with self.assertRaisesRegex(TypeError, r"stepwatch.open\(\) takes them"):
                stepwatch.Profiler(**arguments)

    def test_a_pause_is_left_out(self):
        with self.sw.fit():
            self.sw.pause()
            with self.sw.region("lost"):
                pass
            self.sw.resume()
        self.assertNotIn(("fit", "lost"), calls(self.sw))


class Draws(unittest.TestCase):
    def setUp(self):
        self.sw = simple()
        self.addCleanup(self.sw.close)

    def loop(self, body, batches=5, **options):
        with self.sw.fit(), self.sw.epoch(), self.sw.train():
            for batch in self.sw.draws([[1, 2, 3]] * batches, **options):
                body(batch)

    def test_the_body_is_the_batch(self):
        self.loop(lambda batch: self.sw.set_clock(self.sw.step * 10 + 10))
        report = self.sw.report()
        self.assertEqual(report.row("train", "batch").calls, 5)
        self.assertEqual(report.row("train", "draw").calls, 5)
        self.assertEqual(report.misuses, {})
        self.assertEqual(report.row("train", "step").samples_per_s, 3e8)

    def test_the_body_may_end_the_batch(self):
        self.loop(lambda batch: (self.sw.set_clock(self.sw.step * 10 + 10), self.sw.end_batch(7)))
        self.assertEqual(self.sw.report().row("train", "step").samples_per_s, 7e8)
        self.assertEqual(self.sw.report().misuses, {})

    def test_validation_batches_may_be_ended_too(self):
        with self.sw.fit(), self.sw.epoch(), self.sw.valid():
            for batch in self.sw.draws([[1]] * 3):
                self.sw.end_batch(len(batch))
        self.assertEqual(calls(self.sw)["valid", "batch"], 3)
        self.assertEqual(self.sw.report().misuses, {})

    def test_a_batch_that_break_leaves_counts(self):
        with self.sw.fit(), self.sw.epoch(), self.sw.train():
            for batch in self.sw.draws([[1]] * 5):
                if self.sw.step == 2:
                    break
        self.assertEqual(calls(self.sw)["train", "batch"], 3)

    def test_a_batch_that_an_exception_leaves_does_not_count(self):
        def body(batch):
            if self.sw.step == 2:
                raise ValueError("third")
        with self.assertRaisesRegex(ValueError, "third"):
            self.loop(body)
        self.assertEqual(calls(self.sw)["train", "batch"], 2)

    def test_an_exception_of_the_loader_passes_through(self):
        def loader():
            yield [1]
            raise RuntimeError("no more")
        with self.assertRaisesRegex(RuntimeError, "no more"), self.sw.fit():
            for _ in self.sw.draws(loader()):
                pass
        self.assertEqual(calls(self.sw)["train", "batch"], 1)

    def test_the_samples_of_a_batch(self):
        class Tensor:
            shape = (8, 3)
        for batch, count in (([[1, 2]], 1), ([1, 2, 3], 3), ((Tensor(), Tensor()), 8), ({"x": Tensor()}, 8),
                             ({"x": [Tensor()]}, 8), (types.SimpleNamespace(shape=5), 0), (types.SimpleNamespace(shape="a"), 0), (5, 0), ([], 0), ("abc", 0), ([[Tensor()], 1], 8)):
            self.assertEqual(stepwatch.samples_of(batch), count if batch != [[1, 2]] else 2, batch)

    def test_samples_are_a_number_or_a_function(self):
        for samples in ("4", 1.5, [4]):
            with self.assertRaisesRegex(TypeError, "draws: samples: .* is neither a number nor a function"):
                self.sw.draws([], samples=samples)

    def test_the_number_of_samples_can_be_given(self):
        self.loop(lambda batch: self.sw.set_clock(self.sw.step * 10 + 10), samples=4)
        self.assertEqual(self.sw.report().row("train", "step").samples_per_s, 4e8)


class Events(unittest.TestCase):
    def test_events_measure_what_frameworks_report(self):
        sw = simple()
        seen = []
        sw.on_event(events.AFTER_BATCH, seen.append)
        for event in (events.BEFORE_FIT, events.BEFORE_EPOCH, events.BEFORE_TRAIN, events.BEFORE_DRAW, events.BEFORE_BATCH,
                      events.AFTER_PRED, events.AFTER_LOSS, events.BEFORE_BACKWARD, events.BEFORE_STEP, events.AFTER_STEP):
            sw.event(event)
        sw.event(events.AFTER_BATCH, 2)
        self.assertEqual(seen, [events.AFTER_BATCH])
        self.assertEqual(calls(sw)["train", "opt_step"], 1)
        sw.close()

    def test_a_callback_cannot_close_its_profiler(self):
        sw, said = simple(), []
        sw._at_close.append(lambda: said.append("closed"))  # as live() and observe() do
        sw.on_event(events.BEFORE_FIT, functools.partial(lambda sw, event: sw.close(), sw))
        with self.assertRaisesRegex(stepwatch.Error, "close: a function for events or messages cannot close a profiler"):
            sw.event(events.BEFORE_FIT)
        self.assertTrue(sw.is_on)
        self.assertEqual(said, [])
        sw.close()
        self.assertFalse(sw.is_on)
        self.assertEqual(said.pop(), "closed")

        def close(level, text):
            try:
                other.close()
            except stepwatch.Error as error:
                said.append((text, error.code))
        other = simple(messages=close)
        other.alert("late")
        other.close()
        self.assertEqual(said, [("alert: late", stepwatch.Error.EINVAL)])

    def test_a_call_of_a_hook_may_close_the_profiler(self):
        sw = simple()
        sw._resolver = lambda name: lambda which: sw.close()
        sw.start("a hook")
        sw.stop("a hook")
        self.assertFalse(sw.is_on)

    def test_a_callback_may_print_a_report(self):
        sw, said = simple(), []
        sw.on_event(events.AFTER_FIT, lambda event: said.append(str(sw.report())))
        sw.event(events.BEFORE_FIT)
        sw.event(events.AFTER_FIT)
        sw.close()
        self.assertIn("Profiling Results", said[0])

    def test_an_argument_may_close_the_profiler(self):
        class Closes:
            def __index__(self):
                sw.close()
                return 1

            def __float__(self):
                return float(self.__index__())

        def call_all():
            nonlocal sw
            for call in (lambda: sw.expect_steps(Closes()), lambda: sw.capture(Closes()), lambda: sw.end_batch(Closes()),
                         lambda: sw.set_clock(Closes()), lambda: sw.set_exit_status(Closes()), lambda: sw.count("n", Closes()),
                         lambda: sw.event(Closes()), lambda: sw.begin(Closes()), lambda: sw.summary("n", Closes()),
                         lambda: setattr(sw, "step", Closes()), lambda: sw.log("n", 1, step=Closes())):
                sw = simple()
                call()
                closed.append(not sw.is_on)
        sw, closed = None, []
        thread = threading.Thread(target=call_all, daemon=True)  # which close() held up for ever
        thread.start()
        thread.join(20)
        self.assertEqual(closed, [True] * 11)

    def test_close_in_another_thread_waits_for_a_callback(self):
        sw, ended = simple(), []
        closes = threading.Thread(target=lambda: (sw.close(), ended.append("close")))

        def callback(event):
            closes.start()
            while sw.is_on:
                time.sleep(0.001)
            time.sleep(0.01)
            ended.append("callback")
        sw.on_event(events.AFTER_BATCH, callback)
        sw.event(events.AFTER_BATCH, 1)
        closes.join()
        self.assertEqual(ended, ["callback", "close"])

    def test_a_second_close_leaves_functions_to_the_first(self):
        sw, kept = simple(), []

        def other(event):
            pass
        left = weakref.ref(other)
        sw.on_event(events.AFTER_FIT, other)
        del other
        closes, again = threading.Thread(target=sw.close), threading.Thread(target=sw.close)

        def callback(event):
            closes.start()
            while sw.is_on:
                time.sleep(0.001)
            again.start()
            again.join()
            kept.append(left() is not None)
        sw.on_event(events.AFTER_BATCH, callback)
        sw.event(events.AFTER_BATCH, 1)
        closes.join()
        self.assertEqual((kept, left()), ([True], None))

    def test_an_exception_of_a_callback_leaves_event(self):
        sw = simple()
        sw.on_event(events.BEFORE_FIT, lambda event: 1 / 0)
        with self.assertRaises(ZeroDivisionError):
            sw.event(events.BEFORE_FIT)
        with self.assertRaises(stepwatch.Error):
            sw.on_event(99, print)
        with self.assertRaisesRegex(TypeError, "None is not a function"):
            sw.on_event(events.AFTER_FIT, None)
        sw.close()


class Reports(unittest.TestCase):
    def setUp(self):
        self.sw = simple()
        self.addCleanup(self.sw.close)
        with self.sw.fit(), self.sw.epoch(), self.sw.train():
            for _ in self.sw.draws([[1]] * 3):
                self.sw.count("tokens", 5)

    def test_a_report_is_text_in_each_form(self):
        report = self.sw.report()
        self.assertIn("│ train │ step", str(report))
        self.assertIn("Num calls", report.text(style="lightning"))
        self.assertIn("| train", report.text("markdown"))
        self.assertTrue(report.text("csv").startswith("Phase,Action,"))

    def test_a_copy_of_a_report_has_its_rows_and_table(self):
        report = self.sw.report()
        for copied in (pickle.loads(pickle.dumps(report)), copy.deepcopy(report), copy.copy(copy.copy(report))):
            self.assertEqual((str(copied), copied.row("train", "draw").calls, copied.mode), (str(report), 3, "simple"))
            with self.assertRaisesRegex(stepwatch.Error, "a copy of a report"):
                copied.text("csv")

    def test_one_action_may_be_chosen_by_its_name(self):
        text = self.sw.report().text("csv", actions="batch")
        self.assertEqual([line.split(",")[1] for line in text.splitlines()], ["Action", "batch", "batch"])

    def test_a_sink_without_a_text_is_refused(self):
        with self.assertRaisesRegex(stepwatch.Error, "the sink nothing does not write a text"):
            stepwatch.sink("nothing", options=["path"], wants="report")(lambda record, path: None)
            self.sw.report().text("nothing")

    def test_the_report_of_a_second_fit_is_text_too(self):
        with self.sw.fit, self.sw.region("again"):
            pass
        report = self.sw.report()
        self.assertEqual(report.fit, 2)
        for text in (str(report), report.text("markdown"), report.text("csv")):
            self.assertIn("again", text)

    def test_a_report_is_printed_with_its_counters(self):
        sw = simple()
        self.addCleanup(sw.close)
        with sw.fit, sw.region("outer"):
            sw.count("flops", 3)
            with sw.region("inner"):
                sw.count("flops", 4)
        report = sw.report()
        row = report.row("fit", "outer")
        self.assertEqual((row.counters["flops"], row.self_counters["flops"]), (7, 3))
        lines = {line.split(",")[1]: line for line in report.text("csv", columns=["counter/flops", "counter/flops/self"]).splitlines()}
        self.assertTrue(lines["outer"].endswith(",7,3"), lines["outer"])
        self.assertNotIn("flops", str(report))  # as in the table at the end of the run
        self.assertIn("Total FLOPs", report.text(style="torch"))

    def test_a_report_is_html(self):
        with self.sw.region("<script>"):
            pass
        page = self.sw.report()._repr_mimebundle_()["text/html"]
        self.assertIn("<td>&lt;script&gt;</td>", page)
        self.assertNotIn("<script>", page)
        report = self.sw.report()
        report.text = lambda sink: "| Action |\n|--|\n| a \\| \\`b\\` |\n\nTry \\`mode: simple\\` with &lt;b&gt;"
        self.assertEqual(report._repr_html_(), "<table><thead><tr><th>Action</th></tr></thead><tbody><tr><td>a | `b`</td></tr>"
                         "</tbody></table><p>Try `mode: simple` with &lt;b&gt;</p>")

    def test_a_notebook_shows_the_progress_until_the_end(self):
        shown, renewed, sw = [], threading.Event(), self.sw

        class Handle:
            def update(self, profiler):
                shown.append(profiler._repr_mimebundle_()["text/html"])
                renewed.set()
        module = types.ModuleType("IPython.display")
        module.display = lambda profiler, display_id: Handle()
        fakes = {"IPython": types.ModuleType("IPython"), "IPython.display": module}
        real = {name: sys.modules[name] for name in fakes if name in sys.modules}
        sys.modules.update(fakes)
        try:
            sw.live(interval=0)
            sw.live(interval=0)
        finally:  # patch.dict() would empty sys.modules for a moment, while the thread imports
            for name in fakes:
                del sys.modules[name]
            sys.modules.update(real)
        self.assertTrue(renewed.wait(60))
        sw.step = 7
        sw.close()
        count = len(shown)
        self.assertIn("<p>Step 7</p><table>", shown[-1])
        self.assertNotIn("text/html", sw._repr_mimebundle_())
        self.assertFalse([thread for thread in threading.enumerate() if thread.name == "stepwatch live"])
        self.assertEqual(len(shown), count)

    def test_live_outside_of_a_notebook_shows_nothing_more(self):
        with unittest.mock.patch.dict(sys.modules, {"IPython": types.ModuleType("IPython"), "IPython.display": types.ModuleType("I")}):
            sys.modules["IPython.display"].display = lambda profiler, display_id: None  # as IPython does then
            self.sw.live()
        self.sw.close()

    def test_rows_are_dataclasses_and_dictionaries(self):
        report = self.sw.report()
        self.assertEqual([row["action"] for row in report.to_dicts() if row["calls"]][:3], ["fit", "epoch", "train"])
        self.assertEqual(report.row("train", "batch").counters["tokens"], 15)
        with self.assertRaises(KeyError):
            report.row("train", "nothing")

    def test_rows_are_a_data_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.sw.report().to_pandas()
        self.assertEqual(list(frame[frame.phase == "train"].action[:2]), ["step", "draw"])
        self.assertIsInstance(frame, pandas.DataFrame)

    def test_a_shape_has_a_row_of_its_own(self):
        with self.sw.shaped("forward", (64, 128)):
            pass
        self.assertEqual([row.shape for row in self.sw.report().shaped if row.shape], ["[[64, 128]]"])


class Opening(unittest.TestCase):
    def test_mistakes_are_raised_with_their_place(self):
        with self.assertRaisesRegex(stepwatch.Error, r"did you mean") as caught:
            stepwatch.open(logger_callback=["tabel"])
        self.assertEqual(caught.exception.code, stepwatch.Error.ECONFIG)
        with self.assertRaisesRegex(stepwatch.Error, "rolling_average"):
            stepwatch.open(rolling_average=-3)
        with self.assertRaisesRegex(stepwatch.Error, "1:1"):
            stepwatch.open(text="profilr: simple")
        for sink in (3, [3], [{"csv": "out.csv"}], b"csv"):
            with self.assertRaisesRegex(TypeError, "logger_callback: a sink is a name or {name: options}"):
                stepwatch.open(logger_callback=sink)
        with self.assertRaisesRegex(TypeError, "messages: 5 is not a function"):
            stepwatch.open(messages=5, **QUIET)
        for path in (5, {"mode": "simple"}):
            with self.assertRaisesRegex(TypeError, "is not a path"):
                stepwatch.open(path)
        for path in (b"/nowhere/none.yaml", pathlib.Path("/nowhere/none.yaml")):
            with self.assertRaisesRegex(stepwatch.Error, "^/nowhere/none.yaml: cannot be read"):
                stepwatch.open(path)
        with self.assertRaisesRegex(stepwatch.Error, "^sinks.0..columns: sink csv: columns: .nothing. is not a column"):
            stepwatch.open(logger_callback={"csv": {"columns": {"nothing"}}})
        with self.assertRaisesRegex(stepwatch.Error, "/nowhere/none.so"):
            stepwatch.open(plugin_path="/nowhere", logger_callback="none")

    def test_an_empty_list_of_sinks_is_an_argument(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, STEPWATCH_CONFIG=f"{folder}/off.yaml"):
            pathlib.Path(folder, "off.yaml").write_text("profiler: off\n")
            for arguments, is_on in (({}, False), ({"logger_callback": []}, True)):
                with stepwatch.open(**arguments) as sw:
                    self.assertEqual(sw.is_on, is_on)

    def test_monitors_are_named_like_sinks(self):
        def measured(monitors):
            with tempfile.TemporaryDirectory() as folder:
                stepwatch.open(monitors=monitors, logger_callback={"runlog": {"path": f"{folder}/run.jsonl"}}, show_report=False).close()
                with open(f"{folder}/run.jsonl") as log:
                    return {line["name"].split("/")[0] for line in map(json.loads, log) if line.get("by") == "monitor"}
        for given in ("process", ["process"], {"process": None}, {"process": {}, "interval": "1s"}, {"what": "process"},
                      {"system": {"what": ["process"]}}, ["process", "process"]):
            self.assertEqual(measured(given), {"process"}, given)
        self.assertLessEqual({"process", "system"}, measured(True))
        self.assertEqual(measured(False), set())
        with self.assertRaisesRegex(stepwatch.Error, "^options.monitors.system.pss: "):
            measured({"system": {"pss": "maybe"}})

    def test_a_profiler_that_is_off_does_nothing(self):
        sw = stepwatch.open(mode="off")
        with sw.fit(), sw.forward:
            sw.log("a", 1)
            sw.log({"a": 1})
        self.assertFalse(sw.is_on)
        self.assertEqual(list(sw.draws([1, 2])), [1, 2])
        with self.assertRaisesRegex(stepwatch.Error, "off or closed"):
            sw.report()
        sw.close()

    def test_a_closed_profiler_does_nothing(self):
        sw = simple()
        forward = sw.forward
        sw.close()
        with forward:
            sw.log("a", 1.0)
            sw.log("a", object())
        sw.close()

    def test_a_profiler_without_stdout(self):
        sw, stdout = simple(), sys.stdout
        self.addCleanup(setattr, sys, "stdout", stdout)
        sys.stdout = None
        sw.print(sep=None, end=None)
        sw.close()

    def test_messages_can_be_received(self):
        said = []
        sw = stepwatch.open(messages=lambda level, text: said.append((level, text)), **QUIET)
        sw.alert("loss", "is NaN")
        sw.close()
        self.assertIn((stepwatch.WARNING, "alert: loss: is NaN"), said)


class Random(unittest.TestCase):
    """10^5 random calls and a model of them: no crash, and the rows of user's actions are exact."""

    def test_rows_equal_a_model(self):
        random.seed(4)
        sw = simple()
        now, stack, total, count = 0, [], collections.Counter(), collections.Counter()
        with sw.fit():
            for _ in range(100_000):
                now += random.randrange(1000)
                sw.set_clock(now)
                name = random.choice("abcd")
                if len(stack) < 20 and random.random() < 0.5:
                    sw.begin(name)
                    stack.append((name, now))
                elif stack:
                    name, begun = stack.pop()
                    sw.end(name)
                    count[name] += 1
                    if all(other != name for other, _ in stack):
                        total[name] += now - begun
            while stack:
                name, begun = stack.pop()
                sw.end(name)
                count[name] += 1
                if all(other != name for other, _ in stack):
                    total[name] += now - begun
        report = sw.report()
        for name in "abcd":
            row = report.row("fit", name)
            self.assertEqual((row.calls, row.total_ns), (count[name], total[name]))
        sw.close()

    def test_any_order_of_calls_is_safe(self):
        random.seed(5)
        sw = simple()
        names = list(range(13)) + ["mine", "other"]
        for i in range(50_000):
            sw.set_clock(i)
            random.choice((sw.begin, sw.next, sw.end, sw.cancel))(random.choice(names))
            if i % 100 == 0:
                sw.event(random.randrange(25), 3)
        sw.report()
        sw.close()


class Memory(unittest.TestCase):
    def test_calls_leave_nothing_behind(self):
        sw = simple()
        forward, name = sw.forward, "work"

        def some(count):
            for _ in range(count):
                with forward:
                    pass
                sw.begin(name)
                sw.end(name)
                sw.log("loss", 0.5)
                sw.end_batch(1)
            for _ in sw.draws([[1]] * count):
                pass
        some(1000)
        before = sys.getallocatedblocks()
        some(20_000)
        self.assertLess(sys.getallocatedblocks() - before, 100)
        sw.close()


    def test_a_function_for_events_is_let_go_with_its_profiler(self):
        sw = simple()
        seen = []

        def function(event):
            seen.append((sw.is_on, event))
        around = []
        around.append(stepwatch.open(messages=functools.partial(lambda around, level, text: None, around), **QUIET))
        around[0].close()
        sw.on_event(events.BEFORE_FIT, function)
        left = weakref.ref(function), weakref.ref(sw), weakref.ref(around[0])
        del function, around
        sw.event(events.BEFORE_FIT)
        sw.close()
        self.assertEqual(seen, [(True, events.BEFORE_FIT)])
        del sw
        gc.collect()
        self.assertEqual([ref() for ref in left], [None] * 3)

    def test_a_function_for_messages_is_let_go(self):
        def opened(**options):
            def said(level, text):
                pass
            try:
                stepwatch.open(messages=said, **options).close()
            except stepwatch.Error:
                pass
            return weakref.ref(said)
        for options in (QUIET, {"mode": "off"}, {"mode": "none"}):
            self.assertIsNone(opened(**options)(), options)


class Numbers(unittest.TestCase):
    def test_values_of_all_kinds_are_numbers(self):
        from fractions import Fraction
        logged = []

        @stepwatch.sink("numbers", wants=["metrics"])
        def numbers(record):
            logged.extend(record.metrics.items())
        sw = stepwatch.open(logger_callback=["numbers"], show_report=False)
        for value in (1, True, 0.5, decimal.Decimal("0.25"), 10**400, -10**400, math.inf):
            sw.log("x", value)
        sw.log({"y": 3, "z": Fraction(1, 2), "large": 10**400})
        sw.log("large at", -10**400, step=5)
        sw.log("a\0b", 1)
        sw.log({"a\0b": 2})
        sw.log("large list", stepwatch.Histogram([10**400], figures="max"))
        for refused in ({5: 1}, {b"x": 1.0}):
            with self.assertRaisesRegex(TypeError, "a value is a str"):
                sw.log(refused)
        for call in (lambda: sw.define("x", keep="most"), lambda: sw.define("x", goal="best"), lambda: sw.wants("sounds"),
                     lambda: stepwatch.Histogram([1], figures=["mode"])):
            with self.assertRaisesRegex(ValueError, "is not one of [a-z]+, "):
                call()
        with self.assertRaises(OverflowError):
            sw.set_exit_status(2**40)
        sw.log("at", 5, step=77)
        with self.assertRaisesRegex(TypeError, "is not a number, text, table"):
            sw.log("o", object())
        with self.assertRaises(TypeError):
            sw.log("only a name", None)
        for large in (lambda: sw.log("large", 1, step=2**70),
                      lambda: sw.log("large", stepwatch.Histogram(counts=[2**70], edges=[0, 1]))):
            with self.assertRaisesRegex(TypeError, "^log: large: int too big"):
                large()
        with self.assertRaisesRegex(TypeError, "^hparams: 5 is neither a dictionary nor has attributes"):
            sw.hparams(5)
        sw.close()
        self.assertEqual([value for name, value in logged if name == "x"], [1, 1, 0.5, 0.25, math.inf, -math.inf, math.inf])
        self.assertEqual([dict(logged)[name] for name in ("large", "large at")], [math.inf, -math.inf])
        self.assertEqual([value for name, value in logged if name == "a\\0b"], [1, 2])
        self.assertEqual(dict(logged)["y"], 3)
        self.assertEqual(dict(logged)["z"], 0.5)
        self.assertEqual(dict(logged)["at"], 5)


if __name__ == "__main__":
    unittest.main()
