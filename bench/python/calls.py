# SPDX-License-Identifier: MIT
"""Times calls of stepwatch and of the other packages that are installed, and prints the cases as JSON on the last line."""
import importlib.util, json, resource, subprocess, sys, time

import stepwatch

ROUNDS = 300  # short ones, so that some meet no other work of the machine


def case(name, unit, values):
    values = sorted(values)
    return {"name": name, "unit": unit, "min_ns": values[0], "median_ns": values[len(values) // 2], "max_ns": values[-1]}


def rounds(function, count, before):
    """The times of several rounds of function(count), the fastest first. before() is called before each."""
    values = []
    for _ in range(ROUNDS):
        before()
        start = time.perf_counter_ns()
        function(count)
        values.append(time.perf_counter_ns() - start)
    return sorted(values)


def nothing(count):
    for _ in range(count):
        pass


def timed(name, function, count, before=lambda: None):
    """Nanoseconds of one call. function(count) makes count calls in a loop; the fastest round of an empty loop is subtracted."""
    empty = rounds(nothing, count, before)[0]
    return case(name, "ns", [(ns - empty) / count for ns in rounds(function, count, before)])


def with_it(manager):
    def calls(count):
        for _ in range(count):
            with manager:
                pass
    return calls


def pair(begin, end, argument):
    def calls(count):
        for _ in range(count):
            begin(argument)
            end(argument)
    return calls


def installed(name):
    return importlib.util.find_spec(name) is not None


def of_stepwatch():
    import threading
    with stepwatch.open(mode="simple", logger_callback=[], show_report=False) as sw:
        # As in bench/regions.c, the library's thread folds the calls of a round before the next one begins.
        yield timed("py_with", with_it(sw.forward), 1_000, sw.flush)
        yield timed("py_with_empty", with_it(threading.Lock()), 1_000)  # a context manager of C
        yield timed("py_begin_end", pair(sw.begin, sw.end, stepwatch.LOSS), 1_000, sw.flush)
        yield timed("py_begin_end_without_pause", pair(sw.begin, sw.end, stepwatch.LOSS), 20_000)
        data = set()
        yield timed("py_two_calls", pair(data.add, data.discard, 5), 1_000)  # methods of C with one argument
    with stepwatch.open(mode="simple", logger_callback=[{"runlog": {"path": "run.jsonl"}}], show_report=False) as sw:
        def log(count):
            for _ in range(count):
                sw.log("loss", 0.5)
            sw.flush()
        yield timed("py_log", log, 10_000)
    command = [sys.executable, "-c", "import time; a = time.perf_counter_ns(); import stepwatch; print(time.perf_counter_ns() - a)"]
    yield case("py_import", "ns", [int(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout) for _ in range(15)])
    opened = []
    for _ in range(5):
        start = time.perf_counter_ns()
        sw = stepwatch.open(show_report=False, logger_callback=[{"csv": {"path": "a.csv"}}, {"runlog": {"path": "a.jsonl"}},
                                                                {"markdown": {"path": "a.md"}}, {"table": {"path": "a.txt"}}])
        opened.append(time.perf_counter_ns() - start)
        sw.close()
    yield case("py_open_four_sinks", "ns", opened)


def of_lightning():
    from lightning.pytorch.profilers import SimpleProfiler
    from stepwatch.lightning import StepwatchProfiler
    theirs, ours = SimpleProfiler(), StepwatchProfiler()
    yield timed("py_lightning_pair", pair(ours.start, ours.stop, "an action"), 1_000, ours.sw.flush)
    yield timed("py_simple_profiler_pair", pair(theirs.start, theirs.stop, "an action"), 1_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    pair(ours.start, ours.stop, "an action")(10_000_000)
    yield case("py_lightning_memory", "MB", [(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024])
    ours.close()


def of_torch():
    import torch

    def record_function(count):
        for _ in range(count):
            with torch.profiler.record_function("a"):
                pass
    yield timed("py_with_record_function", record_function, 1_000)


def of_wandb():
    import wandb
    run = wandb.init(mode="offline", dir=".")

    def log(count):
        for _ in range(count):
            run.log({"loss": 0.5})
    yield timed("py_wandb_log", log, 100)
    run.finish()


def of_tensorboardx():
    import tensorboardX
    writer = tensorboardX.SummaryWriter("runs")

    def log(count):
        for i in range(count):
            writer.add_scalar("loss", 0.5, i)
    yield timed("py_tensorboardx_log", log, 100)
    writer.close()


cases = list(of_stepwatch())
for package, measure in ("lightning", of_lightning), ("torch", of_torch), ("wandb", of_wandb), ("tensorboardX", of_tensorboardx):
    if installed(package):
        cases += measure()
print(json.dumps(cases))
