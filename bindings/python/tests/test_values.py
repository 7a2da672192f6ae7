# SPDX-License-Identifier: MIT
"""Values that are more than a number, and sinks that are written in Python."""
import argparse
import array
import copy
import importlib
import math
import os
import pathlib
import sys
import tempfile
import threading
import types
import unittest
import unittest.mock
import warnings

import stepwatch

try:
    import numpy
except ImportError:
    numpy = None

ALL = [kind for kind in stepwatch.TYPES if kind not in ("findings", "monitor")]
GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c000000000100010000020144003b")
got = []


@stepwatch.sink("collect", wants=ALL)
class Collect:
    def record(self, record):
        got.append(record)


def logged(run):
    """Calls run(sw), and returns the records that a sink got of it."""
    got.clear()
    with stepwatch.open(name="values", mode="simple", logger_callback=["collect"], show_report=False) as sw:
        run(sw)
    return list(got)


def value(run, kind):
    records = [record for record in logged(run) if record.type == "value" and record.kind == kind]
    assert len(records) == 1, records
    return records[0].value["value"]


class Values(unittest.TestCase):
    def test_a_text(self):
        self.assertEqual(value(lambda sw: sw.log("note", "**started**"), "text"), "**started**")

    def test_a_table_of_each_form(self):
        table = {"id": [1, 2], "loss": [0.5, None], "label": ["a", None], "right": [True, False]}
        rows = [dict(zip(table, cells)) for cells in zip(*table.values())]
        for given in (stepwatch.Table(table), rows, stepwatch.Table([list(row.values()) for row in rows], list(table))):
            columns = value(lambda sw: sw.log("worst", given), "table")
            self.assertEqual(columns["id"], [1, 2])
            self.assertEqual(columns["loss"][0], 0.5)
            self.assertNotEqual(columns["loss"][1], columns["loss"][1])
            self.assertEqual(columns["label"], ["a", None])
            self.assertEqual(columns["right"], [True, False])
        frame = type("Frame", (), {"columns": ["a"], "__getitem__": lambda self, name: iter([1, 2])})()  # as of polars
        self.assertEqual(value(lambda sw: sw.log("frame", frame), "table"), {"a": [1, 2]})
        with self.assertRaisesRegex(ValueError, "differ in length"):
            stepwatch.Table({"a": [1], "b": []})
        with self.assertRaisesRegex(ValueError, "2 cells"):
            stepwatch.Table([[1]], ["a", "b"])
        self.assertEqual(stepwatch.Table(iter([[1, "a"], [2, "b"]])).columns, {"1": [1, 2], "2": ["a", "b"]})
        for given in (5, [1, 2], None):
            with self.assertRaisesRegex(TypeError, "^a table is {column: values}, a list of rows"):
                stepwatch.Table(given)
        with self.assertRaisesRegex(TypeError, "^log: z: complex numbers cannot be logged"):
            logged(lambda sw: sw.log("z", 1j))
        with self.assertRaisesRegex(ValueError, "the same name"):
            stepwatch.Table([[1, 2]], ["a", "a"])
        large = value(lambda sw: sw.log("large", [[10**400], [None]]), "table")
        self.assertEqual(large["1"][0], math.inf)

    def test_histograms_of_lists_arrays_and_bins(self):
        for given in ([0.0, 1, 1], stepwatch.Histogram(array.array("d", [0, 1, 1]))):
            bins = value(lambda sw: sw.log("weights", given), "histogram")
            self.assertEqual(sum(count for _, _, count in bins), 3)
        bins = value(lambda sw: sw.log("given", stepwatch.Histogram(counts=[2, 3], edges=[0, 1, 4])), "histogram")
        self.assertEqual(bins, [(0, 1, 2), (1, 4, 3)])
        for counts, edges in (([1, 2], [0, 1]), ([-1], [0, 1])):
            with self.assertRaisesRegex(TypeError, "^log: h: [12] counts need [23] edges, and none is below 0$"):
                logged(lambda sw: sw.log("h", stepwatch.Histogram(counts=counts, edges=edges)))
        with self.assertRaisesRegex(TypeError, "^log: h: counts are whole numbers"):
            logged(lambda sw: sw.log("h", stepwatch.Histogram(counts=[0.5, 0.5], edges=[0, 1, 2])))
        for wrong in ({}, {"counts": [1]}, {"array": [1], "counts": [1], "edges": [0, 1]}):
            with self.assertRaisesRegex(TypeError, "either an array, or counts and edges"):
                stepwatch.Histogram(**wrong)

    def test_figures_of_an_array(self):
        records = logged(lambda sw: sw.log("w", stepwatch.Histogram([3.0, 4.0], figures=["norm", "max"])))
        metrics = {name: number for record in records if record.type == "metrics" for name, number in record.metrics.items()}
        self.assertEqual(metrics, {"w/norm": 5, "w/max": 4})

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_arrays_of_numpy(self):
        pixels = numpy.arange(12, dtype="uint8").reshape(2, 2, 3)
        [image] = value(lambda sw: sw.log("x", stepwatch.Image(pixels, "first")), "images")
        self.assertEqual((image["width"], image["channels"], image["caption"], image["data"]), (2, 3, "first", bytes(range(12))))
        [image] = value(lambda sw: sw.log("x", stepwatch.Image(pixels.transpose(2, 0, 1), layout="chw")), "images")
        self.assertEqual(image["data"], bytes(range(12)))
        [image] = value(lambda sw: sw.log("x", [stepwatch.Image(numpy.ones((2, 3)))]), "images")
        self.assertEqual((image["width"], image["height"], image["data"]), (3, 2, b"\xff" * 6))
        for dtype in ("float16", "float32", "int64", "uint8", "int16", ">f8", "bool"):
            bins = value(lambda sw: sw.log("a", numpy.ones((2, 3), dtype)[:, ::2]), "histogram")
            self.assertEqual(sum(count for _, _, count in bins), 4)
        [record] = [r for r in logged(lambda sw: sw.log("s", numpy.float32(0.5))) if r.type == "metrics"]
        self.assertEqual(record.metrics, {"s": 0.5})
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # which numpy makes an error later
            for shape in ((), (1,), (1, 1)):
                [record] = [r for r in logged(lambda sw: sw.log("s", numpy.full(shape, 0.5))) if r.type == "metrics"]
                self.assertEqual(record.metrics, {"s": 0.5})
        self.assertEqual(value(lambda sw: sw.log("s", numpy.str_("a text")), "text"), "a text")
        for given in (numpy.complex64(1j), numpy.array([1j, 2])):
            with self.assertRaisesRegex(TypeError, "^log: z: complex numbers cannot be logged"):
                logged(lambda sw: sw.log("z", given))
        for given in (numpy.timedelta64(90, "s"), numpy.array([1, 2], "m8[s]")):
            with self.assertRaisesRegex(TypeError, "^log: z: a duration of numpy has no unit of its own"):
                logged(lambda sw: sw.log("z", given))
        for dtype in ("int8", "int16", "uint16", "int64", ">i2", ">u4"):
            with self.assertRaisesRegex(TypeError, f"^log: z: an image has uint8 or floats, not {dtype}"):
                logged(lambda sw: sw.log("z", stepwatch.Image(pixels.astype(dtype))))
        for names in (["a", "b"], numpy.array(["a", "b"]), iter("ab")):
            table = value(lambda sw: sw.log("t", stepwatch.Table(numpy.eye(2), names)), "table")
            self.assertEqual(table, {"a": [1, 0], "b": [0, 1]})
        for given, texts in ((numpy.array(["a", "b"]), ["a", "b"]), (numpy.array([1, 2], "m8[s]"), ["1 seconds", "2 seconds"]),
                             (numpy.array(["2020-01-01", "2021-01-01"], "M8[D]"), ["2020-01-01", "2021-01-01"])):
            self.assertEqual(value(lambda sw: sw.log("t", stepwatch.Table({"a": given})), "table"), {"a": texts})
        cells = value(lambda sw: sw.log("t", stepwatch.Table({"a": [numpy.ones(2), None]})), "table")["a"]
        self.assertEqual(cells, ["[1. 1.]", None])
        [lr] = [r for r in logged(lambda sw: sw.hparams({"lr": numpy.float32(0.5)})) if r.type == "hparam"]
        self.assertEqual(lr.hparam["value"], 0.5)

    def test_texts_and_dates_are_no_numbers(self):
        """Though float() reads "1", and numpy converts dates to days or seconds."""
        refused = [stepwatch.Histogram(["1", "2"])]
        if numpy:
            refused += [numpy.array(["1", "2"]), numpy.array([b"1"]), numpy.array(["1", 2], object), numpy.array(["2020"] * 2, "M8[D]"),
                        stepwatch.Image(numpy.zeros((2, 2), "M8[s]"))]
        for given in refused:
            with self.assertRaisesRegex(TypeError, "^log: z: texts and dates are not numbers"):
                logged(lambda sw: sw.log("z", given))

    @unittest.skipUnless(numpy, "numpy is not installed")
    def test_what_is_masked_or_too_large(self):
        bins = value(lambda sw: sw.log("m", numpy.ma.array([1.0, 2, 3], mask=[0, 1, 1])), "histogram")
        self.assertEqual(bins, [(1, 1, 1)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for given in (numpy.ma.masked, numpy.ma.array(3.0, mask=True), numpy.ma.array([3], mask=[1])):
                [record] = [r for r in logged(lambda sw: sw.log("m", given)) if r.type == "metrics"]
                self.assertTrue(math.isnan(record.metrics["m"]), given)
            for given in (numpy.array([1, 10**400, None], object), numpy.array([1, "1e4000", math.nan], "longdouble")):
                self.assertEqual(value(lambda sw: sw.log("m", given), "histogram"), [(1, 1, 1)])

    def test_series_and_frames_of_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        for given in (pandas.Series(["1", "2"]), pandas.Series(pandas.to_datetime(["2020-01-02"] * 2))):
            with self.assertRaisesRegex(TypeError, "^log: z: texts and dates are not numbers"):
                logged(lambda sw: sw.log("z", given))
        bins = value(lambda sw: sw.log("a", pandas.Series([True, None], dtype="boolean")), "histogram")
        self.assertEqual(bins, [(1, 1, 1)])
        frame = pandas.DataFrame({"a": [1], "b": [2]})
        table = value(lambda sw: sw.log("t", stepwatch.Table(frame.values, frame.columns)), "table")
        self.assertEqual(table, {"a": [1], "b": [2]})
        bins = value(lambda sw: sw.log("a", pandas.Series([1.0, 2, 2])), "histogram")
        self.assertEqual(sum(count for _, _, count in bins), 3)
        frame = pandas.DataFrame({"n": [1, 2], "s": pandas.array(["a", pandas.NA], dtype=object), "t": [pandas.Timestamp(2020, 1, 2), pandas.NaT]})
        self.assertEqual(value(lambda sw: sw.log("f", frame), "table"), {"n": [1, 2], "s": ["a", None], "t": ["2020-01-02 00:00:00", None]})

    def test_texts_beside_values_may_be_any(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.bin")
            path.write_bytes(b"weights")
            self.assertEqual(value(lambda sw: sw.log("m", stepwatch.File(path, "\udcff\0", description="\ud800")), "file"), str(path))
        [image] = value(lambda sw: sw.log("x", stepwatch.Image(GIF, "\ud800")), "images")
        self.assertEqual(image["caption"], "\\ud800")
        logged(lambda sw: sw.define("x", axis="\udcff", unit="\0", description=5))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "model.bin")
            path.write_bytes(b"weights")
            self.assertEqual(value(lambda sw: sw.log("model", path), "file"), str(path))
            self.assertEqual(value(lambda sw: sw.log("m", stepwatch.File(path, type="model", aliases=["best"])), "file"), str(path))

    def test_parameters_alerts_notes_lines_and_the_summary(self):
        def run(sw):
            sw.hparams(argparse.Namespace(lr=0.1, layers=3, name="small"))
            sw.hparams({"on": True, "none": None})
            self.assertEqual(sw.param("depth", 7), 7)
            sw.alert("diverged", "loss is NaN", stepwatch.NOTE)
            sw.note("checkpoint written")
            sw.log_line("a line", stepwatch.WARNING)
            sw.summary("best", 0.5)
            sw.summary("verdict", "good")
            sw.define("valid/*", axis="epoch", goal="max", keep=["max", "last"])
        records = logged(run)
        self.assertEqual({r.hparam["name"]: r.hparam["value"] for r in records if r.type == "hparam"},
                         {"lr": 0.1, "layers": 3, "name": "small", "on": 1, "none": "None", "depth": 7})
        self.assertEqual([r.alert["text"] for r in records if r.type == "alert"], ["loss is NaN"])
        self.assertEqual([r.text for r in records if r.type in ("note", "line")], ["checkpoint written", "a line"])
        self.assertEqual([r.summary["value"] for r in records if r.type == "summary"], [0.5, "good"])
        self.assertEqual(len([r for r in records if r.type == "rule"]), 1)

    def test_a_number_on_a_device_is_copied_later(self):
        copies = []

        class OnDevice:
            class device:
                type = "cuda"
            dtype = ndim = None

            def numel(self):
                return 1

            def detach(self):
                return self
            clone = detach
            data_ptr = None

            def __float__(self):
                copies.append(1)
                return 0.5

        def run(sw):
            with sw.fit(), sw.epoch(), sw.train():
                for _ in sw.draws([[1]] * 3):
                    sw.log("loss", OnDevice())
            self.assertEqual(copies, [])
            sw.log("now", OnDevice(), now=True)
            self.assertEqual(copies, [1])
        steps = [record.step for record in logged(run) if record.type == "metrics" and "loss" in record.metrics]
        self.assertEqual(steps, [0, 1, 2])

    def test_a_number_on_a_gpu_is_on_its_way_until_the_next_step(self):
        arrived = []

        class Tensor:
            class device:
                type = "cuda"
            dtype, ndim, layout, shape, data_ptr = None, 0, "torch.strided", (), None

            def __init__(self, value=None):
                self.value = value

            def numel(self):
                return 1

            def detach(self):
                return self

            def copy_(self, other, non_blocking):
                assert non_blocking
                self.value = other.value
                return self

            def __float__(self):
                return self.value

        class Event:
            def record(self, stream):
                self.stream = stream

            def synchronize(self):
                arrived.append(self.stream)

        torch = types.SimpleNamespace(empty=lambda shape, **options: Tensor(), cuda=types.SimpleNamespace(
            Event=Event, current_stream=lambda device: device))

        def run(sw):
            with unittest.mock.patch.dict(sys.modules, torch=torch):
                with sw.fit(), sw.epoch(), sw.train():
                    for step, _ in enumerate(sw.draws([[1]] * 3)):
                        sw.log("loss", Tensor(step + 0.5))
                        sw.log("other", Tensor(-1.0), step=100)
                        self.assertEqual(len(arrived), 2 * step)
                sw.flush()
                self.assertEqual(len(arrived), 6)
        found = [(record.step, record.metrics["loss"]) for record in logged(run) if record.type == "metrics" and "loss" in record.metrics]
        self.assertEqual(found, [(0, 0.5), (1, 1.5), (2, 2.5)])


class Sinks(unittest.TestCase):
    def test_a_sink_gets_every_kind_of_record_in_order(self):
        def run(sw):
            with sw.fit(), sw.epoch(), sw.train():
                for _ in sw.draws([[1, 2]] * 2):
                    with sw.forward:
                        pass
            with sw.span("s"):
                pass
        records = logged(run)
        self.assertEqual(records[0].type, "run")
        self.assertEqual(records[0].run["name"], "values")
        self.assertEqual(records[-1].type, "end")
        self.assertEqual(records[-1].end["exit_status"], 0)
        step = next(record for record in records if record.type == "step")
        self.assertEqual((step.samples, [name for name, _ in step.parts]), (2, ["draw", "forward", "batch"]))
        regions = [(r["event"], r["action"]) for record in records if record.type == "regions" for r in record.regions]
        self.assertIn(("begin", "forward"), regions)
        report = next(record for record in records if record.type == "report").report
        self.assertEqual(report.row("train", "batch").calls, 1)
        with self.assertRaisesRegex(stepwatch.Error, "only during record"):
            str(report)

    def test_a_report_can_be_printed_in_a_sink(self):
        texts, reports = [], []

        @stepwatch.sink("printer", wants=["report"])
        def printer(record):
            texts.append(str(record.report))
            reports.append(record.report)
        sw = stepwatch.open(logger_callback=["printer"], show_report=False)
        with sw.fit():
            pass
        sw.close()
        self.assertIn("Profiling Results", texts[0])
        later = copy.deepcopy(reports[0])  # which has its rows only
        self.assertEqual(later.row("fit", "fit").calls, 1)
        with self.assertRaisesRegex(stepwatch.Error, "only during record"):
            str(later)

    def test_a_sink_cannot_close_the_profiler_that_it_is_of(self):
        said = []

        @stepwatch.sink("closes", wants=["note"])
        def closes(record):
            try:
                sw.close()
            except stepwatch.Error as error:
                said.append((error.code, str(error)))
        with stepwatch.open(mode="simple", logger_callback=["closes"], show_report=False) as sw:
            sw.note("now")
            self.assertTrue(sw.flush())
            self.assertTrue(sw.is_on)
        self.assertEqual(said, [(stepwatch.Error.EINVAL, "close: a sink cannot close a profiler that it has not opened")])

    def test_options_are_checked_and_given(self):
        given = []

        @stepwatch.sink("options", [stepwatch.Option("path", "path", required=True), stepwatch.Option("size", "int", 5, min=1, max=9),
                                    stepwatch.Option("wait", "duration", "250ms"), stepwatch.Option("which", "choice", "a", choices=["a", "b", 3]),
                                    stepwatch.Option("on", "bool", True), stepwatch.Option("tags", "list"), "word"], wants=["run"])
        class Options:
            def __init__(self, **options):
                given.append((options, threading.current_thread() is threading.main_thread()))

            def record(self, record):
                pass
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "stepwatch.yaml")
            with open(path, "w") as file:
                file.write("logger_callback: [options: {path: out.txt, tags: [x, y], which: b}]\nprofiler: {show_report: false}\n")
            stepwatch.open(path).close()
            self.assertEqual(given, [({"path": os.path.join(folder, "out.txt"), "size": 5, "wait": 0.25, "which": "b", "on": True,
                                       "tags": ["x", "y"], "word": None}, False)])
        for mistake, text in (({"size": 10, "path": "-"}, "1..9"), ({}, "path"), ({"path": "a", "sice": 1}, "did you mean size")):
            with self.assertRaisesRegex(stepwatch.Error, text):
                stepwatch.open(logger_callback=[{"options": mistake}])

    def test_defaults_are_values_of_python_and_a_range_may_have_one_end(self):
        given = []

        @stepwatch.sink("defaults", [stepwatch.Option("tags", "list", ["x", "y"]), stepwatch.Option("wait", "duration", 0.25, min=0.1),
                                     stepwatch.Option("low", "int", 1, min=-5), stepwatch.Option("high", "float", -7, max=3)], wants="run")
        class Defaults:
            def __init__(self, **options):
                given.append(options)

            def record(self, record):
                pass
        stepwatch.open(logger_callback="defaults", show_report=False).close()
        self.assertEqual(given, [{"tags": ["x", "y"], "wait": 0.25, "low": 1, "high": -7}])
        for mistake in ({"low": -6}, {"high": 4}, {"wait": "99ms"}):
            with self.assertRaisesRegex(stepwatch.Error, "is not within"):
                stepwatch.open(logger_callback={"defaults": mistake})

    def test_a_sink_has_record_or_is_a_function(self):
        stepwatch.sink("misspelt")(type("Misspelt", (), {"recrod": print}))
        with self.assertRaisesRegex(stepwatch.Error, "sink misspelt: TypeError: Misspelt has no record"):
            stepwatch.open(logger_callback="misspelt", show_report=False, messages=lambda level, text: None).close()
        for target in (None, 5):
            with self.assertRaisesRegex(TypeError, r"sink none: .* is neither a function nor has record\(\)"):
                stepwatch.sink("none")(target)

    def test_an_exception_without_a_text_is_reported_by_its_name(self):
        class Untold(Exception):
            def __str__(self):
                raise ValueError

        @stepwatch.sink("untold", wants="metrics")
        def untold(record):
            raise Untold
        sw = stepwatch.open(logger_callback="untold", show_report=False, messages=lambda level, text: None)
        sw.log("a", 1)
        with self.assertRaisesRegex(stepwatch.Error, "first error: Untold"):
            sw.close()

    def test_exceptions_are_reported_and_the_loop_goes_on(self):
        @stepwatch.sink("broken", wants=["run", "metrics"])
        class Broken:
            def record(self, record):
                raise ValueError("disk is full")
        said = []
        sw = stepwatch.open(logger_callback=["broken"], show_report=False, messages=lambda level, text: said.append(text))
        sw.log("a", 1.0)
        with self.assertRaisesRegex(stepwatch.Error, "ValueError: disk is full"):
            sw.close()
        self.assertTrue(any("disk is full" in text for text in said), said)

        @stepwatch.sink("unopened", wants=["run"])
        class Unopened:
            def __init__(self):
                raise OSError("no such place")
        with self.assertRaisesRegex(stepwatch.Error, "no such place"):
            stepwatch.open(logger_callback=["unopened"], show_report=False, messages=lambda level, text: None).close()

    def test_names_and_types_are_checked(self):
        with self.assertRaisesRegex(TypeError, "sink: <built-in function print> is not a name: write @stepwatch.sink"):
            stepwatch.sink(print)
        with self.assertRaisesRegex(stepwatch.Error, 'option "5" is not a valid name'):
            stepwatch.sink("fine", [5])(print)
        with self.assertRaisesRegex(stepwatch.Error, "No Name"):
            stepwatch.sink("No Name")(print)
        with self.assertRaisesRegex(ValueError, "wants: 'nothing' is not one of run, hparam"):
            stepwatch.sink("fine", wants=["nothing"])
        with self.assertRaisesRegex(ValueError, "the type of a: 'number' is not one of bool, int"):
            stepwatch.sink("fine", [stepwatch.Option("a", "number")])

        async def late(record):
            pass
        for target in (late, type("Late", (), {"record": late})):
            with self.assertRaisesRegex(TypeError, "is async, but nothing awaits it"):
                stepwatch.sink("fine")(target)

    def test_a_sink_can_be_replaced_but_not_what_it_wants(self):
        seen = []
        stepwatch.sink("again", wants="metrics")(lambda record: seen.append("first"))
        importlib.reload(sys.modules["stepwatch._sinks"])
        importlib.reload(stepwatch)
        stepwatch.sink("again", wants="metrics")(lambda record: seen.append("second"))
        with stepwatch.open(logger_callback=["again"], show_report=False) as sw:
            sw.log("x", 1.0)
        self.assertEqual(seen, ["second"])
        with self.assertRaisesRegex(ValueError, "other options or records"):
            stepwatch.sink("again", wants="report")(print)

    def test_flush_waits_for_the_sinks(self):
        got.clear()
        sw = stepwatch.open(logger_callback=["collect"], show_report=False)
        sw.log("x", 2.0)
        self.assertTrue(sw.flush())
        self.assertIn({"x": 2.0}, [record.metrics for record in got if record.type == "metrics"])
        sw.close()


if __name__ == "__main__":
    unittest.main()
