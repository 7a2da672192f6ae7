# SPDX-License-Identifier: MIT
"""What the rows of tests/faults share: rows, scratch folders, the loop, and what it wrote."""
import collections, contextlib, ctypes, ctypes.util, json, os, shutil, signal, struct, subprocess, sys, time, zlib

import accounts

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scripts", "timelines"))  # viewer.py
SRCDIR = os.environ.get("SRCDIR") or os.path.dirname(os.path.dirname(HERE))
BUILDDIR = os.environ.get("BUILDDIR") or os.path.join(SRCDIR, "build")
SANITIZER = os.environ.get("SANITIZER", "")
LOOP = os.path.join(BUILDDIR, "tests/faults/loop")
FICKLE = os.path.join(BUILDDIR, "tests/faults/.libs")  # the folder of the plugin
SHIM = os.path.join(BUILDDIR, "tests/faults/.libs/shim.so")
COMMAND = os.path.join(BUILDDIR, "tests/tools/stepwatch")
# Faults are left to stepwatch and to the default action; what a crash leaves behind is not a leak.
OWN_FAULTS = {"ASAN_OPTIONS": "handle_segv=0:handle_abort=0:detect_leaks=0", "TSAN_OPTIONS": "handle_segv=0:handle_abort=0"}
PATIENCE = 120  # seconds for whatever ends by itself, on a machine that does much else

Row = collections.namedtuple("Row", "name number short full run")
ROWS = []
started = []  # processes; whoever runs a row ends what it left behind


class Skip(Exception):
    """A row that cannot run here; its text says why."""


def row(number, short, full):
    """Makes a function a row: it is given the number of trials, and gives (trials, passed, figure)."""
    def add(run):
        ROWS.append(Row(run.__name__, number, short, full, run))
        return run
    return add


@contextlib.contextmanager
def inside(folder):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def empty_folder():
    for path in os.listdir("."):
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)


# ---- the loop ------------------------------------------------------------------------------------

def environment(**more):
    """Nothing of the person who runs the tests, and the plugins of this build."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STEPWATCH", "SHIM", "WANDB", "LC_", "LANG"))}
    kept["STEPWATCH_PLUGIN_PATH"] = os.path.join(BUILDDIR, "sinks/.libs")
    # The loader's own list of what a library needs, once that is pinned in memory: it is found from memory that the
    # leak checker does not look at.
    kept["LSAN_OPTIONS"] = "print_suppressions=0:suppressions=" + os.path.join(HERE, "leaks.supp")
    kept.update(more)
    return kept


def is_built(name):
    return os.path.exists(os.path.join(BUILDDIR, "sinks/.libs", name + ".so"))


def require_sinks(*names):
    for name in names:
        if not is_built(name):
            raise Skip("the sink %s is not built" % name)


def write_config(sinks, profiler="", plugin_path=None):
    """sinks: lines of the list logger_callback, which begins in line 3; plugin_path: one folder."""
    with open("stepwatch.yaml", "w") as out:
        out.write("profiler: { mode: simple, show_report: false, accounting: false%s }\n" % profiler)
        out.write("logger_callback:\n")
        for sink in sinks:
            out.write("  - %s\n" % sink)
        if plugin_path:
            out.write("plugin_path: [ \"%s\" ]\n" % plugin_path)


def loop(*arguments, **options):
    """Starts the loop by ./stepwatch.yaml; its pipes are binary."""
    more = options.pop("env", {})
    for stream in ("stdin", "stdout", "stderr"):
        options.setdefault(stream, subprocess.PIPE)
    wrapper, program = options.pop("wrapper", ()), options.pop("program", LOOP)
    config = ["stepwatch.yaml"] if options.pop("config", True) else []
    process = subprocess.Popen([*wrapper, program, *config, *arguments], env=environment(**more), **options)
    started.append(process)
    return process


def end_all():
    for process in started:
        if process.poll() is None:
            process.kill()
            process.communicate()
    started.clear()


def end_of(process, data=None):
    """(exit status, stdout, stderr); the status is None where it did not end."""
    try:
        out, err = process.communicate(data, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        return None, (out or b"").decode("utf-8", "replace"), (err or b"").decode("utf-8", "replace")
    return process.returncode, (out or b"").decode("utf-8", "replace"), (err or b"").decode("utf-8", "replace")


def run_loop(*arguments, **options):
    return end_of(loop(*arguments, **options))


def sanitized(text):
    """Whether a sanitizer or a crash had to say something."""
    return any(word in text for word in ("Sanitizer", "runtime error:", "crashed, which ends"))


def tell(what, wrong, said):
    """Says what is wrong, if anything is; whether nothing is."""
    if wrong:
        print("%s: %s\n%s" % (what, "; ".join(wrong), said[:2000]), file=sys.stderr)
    return not wrong


def nanoseconds(word, out):
    """What the loop says of itself at its end."""
    found = [line.split()[1] for line in out.splitlines() if line.startswith(word + " ")]
    return int(found[0]) if found else float("nan")


def slowest_ms(out):
    return nanoseconds("slowest", out) / 1e6


# ---- what it wrote -------------------------------------------------------------------------------

def zstd():
    """libzstd, if the run log of this build has it."""
    with open(os.path.join(BUILDDIR, "config.h")) as file:
        has = "\n#define HAVE_ZSTD 1\n" in file.read()
    name = ctypes.util.find_library("zstd") if has else None
    return ctypes.CDLL(name) if name else None


class ZstdBuffer(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t), ("at", ctypes.c_size_t)]


def zstd_text(data):
    library = zstd()
    library.ZSTD_createDStream.restype = ctypes.c_void_p
    library.ZSTD_decompressStream.restype = ctypes.c_size_t
    stream, room = ctypes.c_void_p(library.ZSTD_createDStream()), ctypes.create_string_buffer(1 << 20)
    given = ctypes.create_string_buffer(data, len(data))
    given_at = ZstdBuffer(ctypes.addressof(given), len(data), 0)
    text, made = b"", ZstdBuffer(ctypes.addressof(room), len(room), 0)
    while given_at.at < len(data) or made.at == len(room):
        made.at = 0
        rc = library.ZSTD_decompressStream(stream, ctypes.byref(made), ctypes.byref(given_at))
        assert not library.ZSTD_isError(ctypes.c_size_t(rc)), "a damaged frame of zstd"
        text += room.raw[:made.at]
    library.ZSTD_freeDStream(stream)
    return text


def zstd_frame(text):
    library = zstd()
    library.ZSTD_compress.restype = library.ZSTD_compressBound.restype = ctypes.c_size_t
    most = library.ZSTD_compressBound(ctypes.c_size_t(len(text)))
    frame = ctypes.create_string_buffer(most)
    size = library.ZSTD_compress(frame, ctypes.c_size_t(most), text, ctypes.c_size_t(len(text)), 3)
    return frame.raw[:size]


def unpacked(data):
    """The text of a log, which may be compressed and end within a frame."""
    if data[:4] in (b"\x50\x2a\x4d\x18", b"\x28\xb5\x2f\xfd"):
        return zstd_text(data)
    text = b"" if data.startswith(b"\x1f") else data
    while data.startswith(b"\x1f"):
        frame = zlib.decompressobj(31)
        text += frame.decompress(data)
        data = frame.unused_data
    return text


def read_log(path):
    """(objects of the whole lines, whether the last line is torn); any other invalid line raises. Its reports have to add up."""
    with open(path, "rb") as file:
        lines = unpacked(file.read()).split(b"\n")
    objects = [json.loads(line) for line in lines[:-1]]
    torn = False
    try:
        objects += [json.loads(line) for line in lines[-1:] if line]
    except ValueError:
        torn = True
    for report in reports(objects):
        accounts.check(report)
    return objects, torn


def reports(lines):
    return [line for line in lines if line["type"] == "report"]


def steps_of(lines):
    return sum(line["type"] == "step" for line in lines)


def report_of(path):
    """`stepwatch report PATH` as (status, JSON document or None, messages)."""
    done = subprocess.run([COMMAND, "report", "--json", path], env=environment(), capture_output=True, timeout=PATIENCE)
    try:
        document = json.loads(done.stdout)
    except ValueError:
        document = None
    for run in document["runs"] if document else []:
        for report in run["reports"]:
            accounts.check(report)
    return done.returncode, document, done.stderr.decode("utf-8", "replace")


def read_stamps(path):
    with open(path, "rb") as file:
        data = file.read()
    return [stamp for (stamp,) in struct.iter_unpack("=q", data) if stamp]


def wait_until(holds, what):
    until = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > until:
            raise AssertionError("waited in vain for " + what)
        time.sleep(0.005)


def first_line(process):
    return process.stdout.readline().decode()


def signal_name(status):
    return signal.Signals(-status).name if status is not None and status < 0 else str(status)
