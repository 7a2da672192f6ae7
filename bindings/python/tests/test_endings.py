# SPDX-License-Identifier: MIT
"""However a program ends: the report is there, once, and nothing hangs."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest

BEGIN = """
import os, signal, sys, threading, time
import stepwatch
sw = stepwatch.open(mode="simple", drop_first_batch=False, logger_callback=[{"csv": {"path": "r.csv"}}, {"runlog": {"path": "r.jsonl"}}])
fit = sw.fit.begin()
for _ in sw.draws([[1]] * 3):
    pass
"""
PYTHON_SINK = """
import stepwatch
@stepwatch.sink("file", wants=["report", "end"])
class File:
    def record(self, record):
        with open("sink.txt", "a") as file:
            print(record.type, file=file)
"""
REPORT = "Profiling Results:"
# Its allocator may be locked by another thread at a fork, and stays so in the child.
forks = unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "the address sanitizer does not survive a fork beside threads")


class Endings(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_program(self, text, status=0, begin=BEGIN, **environment):
        """Runs a program, and returns what it printed to stdout and stderr."""
        # A shell's background jobs ignore SIGINT, and those of nohup SIGHUP; a program inherits that.
        ended = subprocess.run([sys.executable, "-c", begin + text], cwd=self.folder, timeout=60, capture_output=True, text=True,
                               env={**os.environ, **environment},
                               preexec_fn=lambda: [signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGHUP)])
        self.assertEqual(ended.returncode, status, ended.stdout + ended.stderr)
        return ended.stdout, ended.stderr

    def assert_reported(self, out):
        self.assertEqual(out.count(REPORT), 1, out)
        with open(os.path.join(self.folder, "r.csv")) as file:
            self.assertRegex(file.read(), r"(?m)^train,batch,[^,]*,[^,]*,3,")

    def sink_text(self):
        with open(os.path.join(self.folder, "sink.txt")) as file:
            return file.read().split()

    def test_close(self):
        self.assert_reported(self.run_program("sw.close(); sw.close()")[0])

    def test_the_end_of_the_program(self):
        self.assert_reported(self.run_program("print('the end')")[0])

    def test_what_the_program_has_printed_comes_first(self):
        out, _ = self.run_program("print('the end')")
        self.assertLess(out.index("the end"), out.index(REPORT))

    def test_sys_exit(self):
        self.assert_reported(self.run_program("sys.exit(3)", 3)[0])

    def test_sys_exit_in_a_with(self):
        self.assert_reported(self.run_program("""
with sw, sw.epoch:
    sys.exit(3)
""", 3)[0])

    def test_sys_exit_in_a_callback(self):
        self.assert_reported(self.run_program("""
sw.on_event(stepwatch.events.AFTER_FIT, lambda event: sys.exit(4))
sw.event(stepwatch.events.AFTER_FIT)
""", 4)[0])

    def test_an_exception(self):
        out, err = self.run_program("raise ValueError('lost')", 1)
        self.assert_reported(out)
        self.assertIn("lost", err)
        with open(os.path.join(self.folder, "r.jsonl")) as file:
            self.assertIn('"exit_status":1', file.read())

    def test_ctrl_c(self):
        out, err = self.run_program("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)", -signal.SIGINT)
        self.assert_reported(out)
        self.assertIn("KeyboardInterrupt", err)

    def test_ctrl_c_in_a_with(self):
        self.assert_reported(self.run_program("""
try:
    with sw:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(5)
""", 5)[0])

    def test_ctrl_c_while_profilers_close_at_the_end(self):
        out, err = self.run_program("""
@stepwatch.sink("interrupted", wants=["end"])
class Interrupted:
    def record(self, record):
        os.kill(os.getpid(), signal.SIGINT)
early = stepwatch.open(logger_callback=["interrupted"], show_report=False)
early.flush()  # its sink is open
late = stepwatch.open(logger_callback=["file"], show_report=False)
late.fit.begin()
late.flush()
sw.close()
""", begin=PYTHON_SINK + BEGIN)
        self.assert_reported(out)
        self.assertEqual(err, "stepwatch: KeyboardInterrupt\n")
        self.assertEqual(self.sink_text(), ["report", "end"])

    def test_ctrl_c_in_a_function_whose_exceptions_go_nowhere(self):
        out, _ = self.run_program("""
def interrupted(*ignored):
    os.kill(os.getpid(), signal.SIGINT)
def for_batches():
    for _ in sw.draws([[1]], interrupted):
        break
    go_on()
def for_messages():
    stepwatch.open(messages=interrupted, logger_callback=[], show_report=False).alert("a title")
    go_on()
def go_on():
    for _ in range(600):
        time.sleep(0.1)
for run in for_batches, for_messages:
    try:
        run()
    except KeyboardInterrupt:
        print(run.__name__)
""")
        self.assertRegex(out, "^for_batches\nfor_messages\n")

    def test_ctrl_c_while_open_returns(self):
        self.run_program("""
@stepwatch.sink("interrupted", wants=["end"])
class Interrupted:
    def __init__(self):
        os.kill(os.getpid(), signal.SIGINT)
    def record(self, record):
        open("sink.txt", "w").write(record.type)
try:
    stepwatch.open(logger_callback=["interrupted"], show_report=False)
    time.sleep(60)
except KeyboardInterrupt:
    pass
""")
        self.assertEqual(self.sink_text(), ["end"])

    def test_ctrl_c_at_any_line_of_open(self):
        _, messages = self.run_program("""
def interrupt(frame, event, arg):
    global left
    left -= event == "line" and frame.f_code is stepwatch.open.__code__
    if left == 0:
        raise KeyboardInterrupt
    return interrupt
for left in range(1, 20):
    sys.settrace(interrupt)
    try:
        stepwatch.open(logger_callback=["file"], show_report=False)
    except KeyboardInterrupt:
        pass
    sys.settrace(None)
""", begin="import sys" + PYTHON_SINK)
        self.assertEqual(messages, "")  # such as that of a sink for which the interpreter has ended
        self.assertGreater(self.sink_text().count("end"), 5)

    def test_ctrl_c_while_flush_and_close_wait(self):
        out, _ = self.run_program("""
waits, hold = threading.Event(), threading.Event()
def hold_up(level, text):
    waits.set()
    hold.wait()
@stepwatch.sink("stuck")
def stuck(record):
    hold_up(0, "")
def interrupt(function):
    waits.wait()
    waits.clear()
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        function()
    except KeyboardInterrupt:
        print("interrupted")
other = stepwatch.open(logger_callback=["stuck"], messages=hold_up, show_report=False, close_timeout="50ms")
other.log("x", 1)
interrupt(lambda: other.flush(1000))
threading.Thread(target=other.alert, args=["a title"], daemon=True).start()
interrupt(other.close)
print(other.is_on)
""")
        self.assert_reported(out)
        self.assertRegex(out, "^interrupted\ninterrupted\nTrue\n")

    def test_an_exception_in_a_with_is_not_hidden_by_that_of_a_sink(self):
        _, err = self.run_program("""
@stepwatch.sink("full", wants=["metrics"])
def full(record):
    raise OSError("no space")
try:
    with stepwatch.open(logger_callback=["full"], show_report=False) as other:
        other.log("x", 1)
        raise ValueError("mine")
except ValueError:
    sw.close()
    sys.exit(5)
""", 5)
        self.assertIn("first error: OSError: no space", err)

    def test_sigterm(self):
        self.assert_reported(self.run_program("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -signal.SIGTERM)[0])

    def test_signals_with_a_sink_in_python(self):
        for number in signal.SIGTERM, signal.SIGHUP:
            self.run_program(f"""
sw = stepwatch.open(logger_callback=["file"], show_report=False, close_timeout="50s")
with sw.fit:
    os.kill(os.getpid(), {int(number)})
    time.sleep(60)
""", -number, PYTHON_SINK + BEGIN)
        self.assertEqual(self.sink_text(), ["report", "end"] * 2)

    def test_os_exit(self):
        self.assert_reported(self.run_program("sys.stdout.flush(); os._exit(7)", 7)[0])

    def test_os_exit_and_sigterm_in_a_callback(self):
        for end, status in (("os._exit(7)", 7), ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", -signal.SIGTERM)):
            self.assert_reported(self.run_program(f"""
stepwatch.sink("any", wants="end")(print)  # for a handler of Python
stepwatch.open(logger_callback=[], show_report=False)
sw.on_event(stepwatch.events.AFTER_FIT, lambda event: [sys.stdout.flush(), {end.replace("; ", ", ")}])
sw.event(stepwatch.events.AFTER_FIT)
""", status)[0])

    def test_a_forgotten_profiler(self):
        self.assert_reported(self.run_program("del sw; import gc; gc.collect()")[0])

    @forks
    def test_children_of_fork_measure_and_print_nothing(self):
        for leave in ("os._exit(0)", "sys.exit(0)", "sw.close(); sys.exit(0)"):
            out, err = self.run_program(f"""
child = os.fork()
if child == 0:
    with sw.region("child"):
        sw.log("x", 1.0)
    assert not sw.is_on
    try:
        sw.report()
    except stepwatch.Error as error:
        assert "child process" in str(error)
    {leave}
assert os.waitpid(child, 0)[1] == 0
sw.close()
""", PYTHONWARNINGS="ignore")  # Python itself warns of fork() in a process with threads
            self.assert_reported(out)
            self.assertEqual(err, "")

    @forks
    def test_a_child_may_open_its_own(self):
        out, _ = self.run_program("""
child = os.fork()
if child == 0:
    own = stepwatch.open(logger_callback=[{"csv": {"path": "own.csv"}}], show_report=False)
    with own.fit, own.region("child"):
        pass
    own.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
""")
        self.assert_reported(out)
        with open(os.path.join(self.folder, "own.csv")) as file:
            self.assertIn("child", file.read())

    @forks
    def test_processes_of_multiprocessing(self):
        for method in ("fork", "spawn", "forkserver"):
            with open(os.path.join(self.folder, "program.py"), "w") as file:
                file.write(_multiprocessing(method))
            ended = subprocess.run([sys.executable, "program.py"], cwd=self.folder, timeout=60, capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""), method)
            self.assert_reported(ended.stdout)

    def test_a_thread_that_still_measures(self):
        self.assert_reported(self.run_program("""
def work():
    while True:
        with sw.region("work"):
            sw.log("x", 1)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.05)
""")[0])

    def test_a_thread_that_closes(self):
        self.run_program("""
@stepwatch.sink("slow", wants=["end"])
class Slow:
    def record(self, record):
        closes.set()
    def close(self):
        time.sleep(0.3)
        open("sink.txt", "w").write("closed")
closes = threading.Event()
other = stepwatch.open(logger_callback=["slow"], show_report=False)
other.flush()  # the sink is open
threading.Thread(target=other.close, daemon=True).start()
closes.wait()
""")
        self.assertEqual(self.sink_text(), ["closed"])

    def test_a_thread_that_closes_and_hangs_in_a_message(self):
        hang = """
def hang(level, text):
    closes.set()
    threading.Event().wait()
closes = threading.Event()
"""
        self.run_program("""
@stepwatch.sink("bad", wants=["end"])
def bad(record):
    raise ValueError
other = stepwatch.open(messages=hang, logger_callback=["bad"], show_report=False)
threading.Thread(target=other.close, daemon=True).start()
closes.wait()
""", begin=BEGIN + hang)

    def test_os_exit_in_a_message_that_close_waits_for(self):
        leave = """
def leave(level, text):
    if "a title" in text:
        waits.set()
        while sw.is_on:
            time.sleep(0.001)
        sys.stdout.flush()
        os._exit(7)
"""
        self.assert_reported(self.run_program("""
waits = threading.Event()
threading.Thread(target=sw.alert, args=["a title"], daemon=True).start()
waits.wait()
sw.close()
""", 7, leave + BEGIN.replace("open(", "open(messages=leave, "))[0])

    def test_a_sink_in_python_that_hangs(self):
        out, err = self.run_program("""
@stepwatch.sink("stuck", wants=["run"])
def stuck(record):
    time.sleep(1000)
stepwatch.open(logger_callback=["stuck"], show_report=False, close_timeout="100ms")
""")
        self.assert_reported(out)
        self.assertIn("stuck", err)

    def test_a_sink_in_python_with_a_daemon_thread(self):
        self.run_program("""
done = threading.Event()
@stepwatch.sink("threaded", wants=["metrics", "report", "end"])
class Threaded:
    def __init__(self):
        self.records, self.thread = [], threading.Thread(target=self.work, daemon=True)
        self.thread.start()
    def work(self):
        done.wait()
        with open("sink.txt", "w") as file:
            file.write(" ".join(self.records))
    def record(self, record):
        self.records.append(record.type)
    def close(self):
        done.set()
        self.thread.join()
own = stepwatch.open(logger_callback=["threaded"], show_report=False)
own.fit.begin()
own.log("x", 1.0)
own.flush()  # the sink is open: Python begins no thread once it ends
""")
        self.assertEqual(self.sink_text(), ["metrics", "report", "end"])

    def test_the_report_of_a_sink_in_python_at_the_end(self):
        self.run_program('stepwatch.open(logger_callback=["file"], show_report=False).fit.begin()', begin=PYTHON_SINK)
        self.assertEqual(self.sink_text(), ["report", "end"])

    def test_reload(self):
        self.assert_reported(self.run_program("""
import importlib
importlib.reload(stepwatch)
other = stepwatch.open(logger_callback=[], show_report=False)
other.close()
""")[0])

    def test_an_import_after_the_modules_were_removed(self):
        out, _ = self.run_program("""
for name in list(sys.modules):
    if name.partition(".")[0] == "stepwatch":
        del sys.modules[name]
import stepwatch as again
with again.open(logger_callback=[], show_report=False) as other:
    sw.begin(other.forward)
    sw.end(other.forward)
try:
    again.open(logger_callback=["tabel"])
except stepwatch.Error as error:
    assert isinstance(error, again.Error)
""")
        self.assert_reported(out)

    def test_a_number_that_cannot_be_copied_from_its_device(self):
        out, err = self.run_program("""
class Lost:
    def __float__(self):
        raise RuntimeError("the device is gone")
sw._kept.append(("loss", Lost(), 1))
sw.close()
""", 1)
        self.assertIn("RuntimeError: the device is gone", err)
        self.assert_reported(out)

    def test_a_subinterpreter_is_refused(self):
        out, _ = self.run_program("""
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters
try:
    result = interpreters.run_string(interpreters.create(), "import stepwatch")
    print(result)
except Exception as error:
    print(error)
""")
        self.assertIn("subinterpreter", out)
        self.assert_reported(out)

    def test_a_closed_stdout(self):
        self.run_program("sys.stdout.close(); sw.close()")


def _multiprocessing(method):
    return f"""
import multiprocessing, stepwatch

def child(number):
    sw = globals().get("sw")
    if sw:
        assert not sw.is_on
    return number

if __name__ == "__main__":
    sw = stepwatch.open(mode="simple", drop_first_batch=False, logger_callback=[{{"csv": {{"path": "r.csv"}}}}])
    sw.fit.begin()
    for _ in sw.draws([[1]] * 3):
        pass
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        assert pool.map(child, range(4)) == [0, 1, 2, 3]
    sw.close()
"""


if __name__ == "__main__":
    unittest.main()
