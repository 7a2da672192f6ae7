# SPDX-License-Identifier: MIT
"""Runs of Weights & Biases whose program, disk or service fails: `wandb sync` reads each file, and each row arrives once."""
import base64, collections, concurrent.futures, contextlib, glob, os, random, re, shutil, signal, subprocess, sys, threading, time
import urllib.request, zlib

import faults
import disk
import senders
from faults import row

sys.path.append(os.path.join(faults.SRCDIR, "tests/wandb"))
import service  # noqa: E402 - the stand-in, of the folder above

for name in [name for name in os.environ if name.startswith("WANDB")]:
    del os.environ[name]

VENV = os.environ.get("STEPWATCH_VENV") or os.path.join(faults.BUILDDIR, "venv")
SDK = "wandb==0.31.0"


# ---- what uploads a file ---------------------------------------------------------------------------

def has_sdk():
    try:
        with open(os.path.join(VENV, "done")) as done:
            return "[%s]" % SDK in done.read()
    except OSError:
        return False


def uploader(wanted):
    """The real `wandb sync`; where it is not wanted so much that it is installed, ours may do."""
    with open(os.path.join(faults.BUILDDIR, "config.h")) as config:
        if "#define HAVE_SEND 1" not in config.read():
            raise faults.Skip("built without libcurl or jansson")
    if wanted and not has_sdk():
        subprocess.run([os.path.join(faults.SRCDIR, "build-aux/venv"), VENV, SDK], timeout=200, stdout=sys.stderr)
    if has_sdk():
        return os.path.join(VENV, "bin/wandb"), "wandb sync"
    if wanted:
        raise faults.Skip("the real wandb cannot be installed")
    return faults.COMMAND, "stepwatch sync"


def stand_in(*arguments):
    try:
        return service.Service("--limit", "1800", "--no-bodies", *arguments)
    except service.Skip as why:
        raise faults.Skip(str(why))


def account(server):
    return {"HOME": os.getcwd(), "WANDB_BASE_URL": server.url, "WANDB_API_KEY": service.KEY,
            "WANDB_ERROR_REPORTING": "false", "no_proxy": "*"}


def upload(command, folders, server):
    paths = [path for folder in folders for path in glob.glob(os.path.join(folder, "wandb/*run-*"))]
    done = subprocess.run([command, "sync", *paths], env=faults.environment(**account(server)), timeout=600,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode("utf-8", "replace")


def run_at(server, number):
    """The run `rNUMBER` as the service has it; None: it has none."""
    return next((run for run in server.state()["runs"].values() if run["name"] == "r%d" % number), None)


def losses(run):
    """Of each row that has one: the loop logs 1 / (step + 1)."""
    rows = [faults.json.loads(text) for text in run["lines"].get("wandb-history.jsonl", [])] if run else []
    return [one["train/loss"] for one in rows if "train/loss" in one]


def summary_of(run, wrong):
    """It is the last value of each of the program's metrics."""
    lines = run["lines"] if run else {}
    last = {}
    for text in lines.get("wandb-history.jsonl", []):
        last.update(faults.json.loads(text))
    texts = lines.get("wandb-summary.json", ["{}"])
    found = faults.json.loads(texts[-1])
    stale = [name for name, value in last.items() if not name.startswith("_") and found.get(name) != value]
    if stale:
        wrong.append("the summary has no last value of %s" % ", ".join(stale))


def rows_of(run, wrong):
    """How many rows there are; what is not once and in order is wrong."""
    found = losses(run)
    if found != [1.0 / (k + 1) for k in range(len(found))]:
        wrong.append("rows that are missing between others, doubled, or out of order")
    if run and run["rewritten"]:
        wrong.append("rows that were stored once more as others")
    return len(found)


# ---- ends ------------------------------------------------------------------------------------------

End = collections.namedtuple("End", "arguments number held code keeps_all")
ENDS = {
    "SIGKILL": End((), signal.SIGKILL, False, 1, False),
    "SIGKILL in a long step": End((), signal.SIGKILL, True, 1, False),
    "_exit": End(("end=_exit",), None, False, 1, False),
    "SIGINT": End((), signal.SIGINT, False, 130, True),
    "SIGTERM": End((), signal.SIGTERM, False, 143, True),
    "exit": End(("end=exit", "status=3"), None, False, 3, True),
    "fork": End(("end=close",), None, False, 0, True),
}
RATE = senders.RATE
Trial = collections.namedtuple("Trial", "number how process delay")


def begin(number, how, seconds, sink="wandb: { mode: offline, run_id: r%d, project: ends }"):
    end, steps = ENDS[how], random.randrange(1, int(seconds * RATE))
    arguments = list(end.arguments)
    arguments += ["steps=%d" % (steps if end.number is None else 100000), "rate=%d" % RATE, "stamps=stamps"]
    arguments += ["pause=%d" % steps] if end.held else []
    arguments += ["fork=%d" % random.randrange(steps)] if how == "fork" else []
    os.mkdir(str(number))
    with faults.inside(str(number)):
        faults.write_config([sink % number if "%d" in sink else sink])
        process = faults.loop(*arguments)
    return Trial(number, how, process, random.uniform(0, seconds) + (1.2 if end.held else 0))


def end_one(trial):
    """When it ended; before a signal it has begun, and where it is to be held, it is."""
    end = ENDS[trial.how]
    if end.number is not None:
        awaited = b"paused\n" if end.held else b"step\n"
        while trial.process.stdout.readline() not in (awaited, b""):
            pass
        time.sleep(trial.delay)
        ended = time.monotonic_ns()
        trial.process.send_signal(end.number)
    status, _, said = faults.end_of(trial.process)
    return ended if end.number is not None else time.monotonic_ns(), status, said


Result = collections.namedtuple("Result", "how wrong seconds lost")


def result_of(trial, ended, said, rows, wrong):
    """What is missing of the steps that were over when the program ended."""
    stamps = faults.read_stamps(str(trial.number) + "/stamps")
    ended = stamps[-1] if trial.how == "_exit" else ended
    # A loop goes on while a signal's report is made.
    stamps = [stamp for stamp in stamps if stamp <= ended]
    seconds = (ended - stamps[rows]) / 1e9 if rows < len(stamps) else 0
    if faults.sanitized(said):
        wrong.append(said)
    if ENDS[trial.how].keeps_all and rows < len(stamps):
        wrong.append("%d steps of %d" % (rows, len(stamps)))
    return Result(trial.how, wrong, seconds, len(stamps) - rows)


def judge(trial, ended, said, server):
    end, wrong, run = ENDS[trial.how], [], run_at(server, trial.number)
    rows = rows_of(run, wrong)
    summary_of(run, wrong)
    if run and run["exitcode"] != end.code:
        wrong.append("exit code %s, expected %s" % (run["exitcode"], end.code))
    # The sink may not have begun when a program leaves after its first steps.
    if not run and glob.glob(str(trial.number) + "/wandb/*/run-*.wandb"):
        wrong.append("no run was made")
    return result_of(trial, ended, said, rows, wrong)


def treat(trials, seconds, command):
    """Ends these at about the same time, uploads them by one command, and looks what arrived."""
    started = [begin(number, how, seconds) for number, how in trials]
    with concurrent.futures.ThreadPoolExecutor(len(started)) as threads:
        ends = list(threads.map(end_one, started))
    with stand_in() as server:
        printed = upload(command, [str(trial.number) for trial in started], server)
        results = [judge(trial, ended, said, server) for trial, (ended, _, said) in zip(started, ends)]
    for result in results:
        if result.wrong:
            print("%s: %s" % (result.how, "; ".join(result.wrong)), file=sys.stderr)
    if any(result.wrong for result in results):
        print(printed, file=sys.stderr)
    return results


@row(7, short=1, full=50)
def wandb_ends(trials):
    """However a program ends, at a random time: the file can be read, and at most a second of rows is missing."""
    command, name = uploader(trials > 1)
    all_of_them = list(enumerate(how for _ in range(trials) for how in ENDS))
    results = []
    for first in range(0, len(all_of_them), len(ENDS)):
        results += treat(all_of_them[first:first + len(ENDS)], 3 if trials > 1 else 1, command)
    # A loaded machine delays the sink's thread as any other: the second is judged where it is measured alone.
    limit = 1.1 if trials > 1 else 60
    passed = sum(not result.wrong and result.seconds <= limit for result in results)
    for result in results:
        if result.seconds > limit:
            print("%s: %.2f s are missing" % (result.how, result.seconds), file=sys.stderr)
    sudden = [result for result in results if not ENDS[result.how].keeps_all]
    return len(results), passed, "by %s: lost at most %.2f s (%d rows) by SIGKILL and _exit(), none otherwise" % (
        name, max(r.seconds for r in sudden), max(r.lost for r in sudden))


# ---- a full disk -----------------------------------------------------------------------------------

STEPS = 4000


def records_of(path):
    """The bytes of each whole record, by the format alone."""
    with open(path, "rb") as file:
        data = file.read()
    at, record = 7, b""
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        crc, size, kind = faults.struct.unpack_from("<IHB", data, at)
        assert crc == zlib.crc32(data[at + 6:at + 7 + size]), "a torn record"
        record += data[at + 7:at + 7 + size]
        at += 7 + size
        if kind in (1, 4):
            yield record
            record = b""


def field_of(record):
    """What a record is: behind its number, its one field."""
    at = 1
    while record[at] & 0x80:
        at += 1
    return record[at + 1] >> 3


def records_in(path):
    """How many there are but for summaries: each flush writes one, of values that the rows have."""
    return sum(field_of(record) != 3 for record in records_of(path))


def the_log():
    (path,) = glob.glob("wandb/*run-*/run-r0.wandb")
    return path


def configure(mode, folder):
    faults.write_config(["wandb: { mode: %s, run_id: r0, project: ends, system: false, dir: %s }" % (mode, folder),
                         "csv: { path: report.csv }"])


def undisturbed():
    configure("offline", ".")
    status, _, said = faults.run_loop("steps=%d" % STEPS, "rate=4000", "fake=1")
    assert status == 0, said
    count = records_in(the_log())
    shutil.rmtree("wandb")
    return count


def lost_records(said):
    """As the last words have it."""
    found = re.findall(r"(\d+) records? lost", said)
    return int(found[-1]) if found else 0


MODES = ("offline", "online")


def run_on_disk(mode, size, then, server, *more):
    """Starts the loop with its runs on a small disk, which goes with it: what is there is copied."""
    shutil.rmtree("wandb", ignore_errors=True)
    configure(mode, "disk")
    wrapper = disk.mounted("size=" + size, "trap 'cp -r disk/wandb .' EXIT; " + then)
    return faults.loop("steps=%d" % STEPS, "rate=4000", "fake=1", *more, wrapper=wrapper, env=account(server))


def arrived(mode, command, server, wrong):
    """How many rows the service has when what is in the file was uploaded."""
    printed = upload(command if mode == "offline" else faults.COMMAND, ["."], server)
    rows = rows_of(run_at(server, 0), wrong)
    if wrong:
        print(printed, file=sys.stderr)
    return rows


def offline_on_full_disk(command, records, said, server, wrong):
    """What is in the file and what is said to be lost is all there was. Gives how much is lost."""
    if "upload what exists of the run with: stepwatch sync /" not in said:
        wrong.append("no word on how to upload what is there")
    there, lost, rows = records_in(the_log()), lost_records(said), arrived("offline", command, server, wrong)
    # Where a file of the report found no room either, a message says so, and its records are not made.
    all_told = rows + lost >= STEPS if "/files/" in said else there + lost == records
    if not rows or not all_told:
        wrong.append("%d records there with %d rows, %d lost, of %d" % (there, rows, lost, records))
    return lost


def online_on_full_disk(said, server, wrong):
    """All rows went on from memory, the run ended as the program did, and an upload of the file changes nothing."""
    before = run_at(server, 0)
    # Of a table of the report, the service gets the file: where that found no room either, a message says so.
    lost = 0 if "/files/media/" in said else lost_records(said)
    if lost or not re.search(r"its file lacks \d+ records", said):
        wrong.append("no word on what the file lacks")
    if glob.glob("wandb/*/*.synced"):
        wrong.append("marked as uploaded, though the file has no end")
    for when in ("by the program", "after an upload of the file"):
        run = run_at(server, 0)
        rows = rows_of(run, wrong)
        if rows != STEPS or run["state"] != "finished" or run["exitcode"] != 0 or run["lines"] != before["lines"]:
            wrong.append("%s %d rows, %s with %s" % (when, rows, run["state"], run["exitcode"]))
        state_age()
        upload(faults.COMMAND, ["."], server)


def state_age():
    """As if the disk had been so full that the upload's state could not be saved for long."""
    (path,) = glob.glob("wandb/run-*/*.upload")
    with open(path) as file:
        state = faults.json.load(file)
    state.update(sent=state["sent"] // 8, tried=0, history=state["history"] // 8)
    with open(path, "w") as file:
        faults.json.dump(state, file)


@row(8, short=2, full=10)
def wandb_disk_full(trials):
    """256 KiB are full after a moment: offline, what is lost is reported; online, nothing is, and the run ends as it should."""
    command, name = uploader(trials > 2)
    records, passed, slowest, most = undisturbed(), 0, 0, 0
    for trial in range(trials):
        mode = MODES[trial % 2]
        with stand_in() as server:
            status, out, said = faults.end_of(run_on_disk(mode, "256k", "true", server))
            wrong = ["ended with %s" % status] if status != 1 or faults.sanitized(said) else []
            if len(re.findall("warning: sink wandb: .*: the run's file cannot be written: No space left", said)) != 1:
                wrong.append("not reported exactly once")
            if mode == "offline":
                most = max(most, offline_on_full_disk(command, records, said, server, wrong))
            else:
                online_on_full_disk(said, server, wrong)
        passed += faults.tell("wandb_disk_full", wrong, said)
        slowest = max(slowest, faults.slowest_ms(out))
    return trials, passed, "offline, of %d records at most %d lost, all reported, the others read by %s; online none of %d " \
        "rows; slowest step %.2f ms" % (records, most, name, STEPS, slowest)


@row(9, short=2, full=10)
def wandb_space(trials):
    """The disk is full until the loop has gone on for a while: every row arrives."""
    command, name = uploader(trials > 2)
    records, passed = undisturbed(), 0
    for trial in range(trials):
        mode = MODES[trial % 2]
        with stand_in() as server:
            process = run_on_disk(mode, "4m", "head -c 4100000 /dev/zero >disk/ballast", server, "pause=2000")
            said = ""
            while "No space left on device" not in said:
                line = process.stderr.readline().decode()
                said += line
                assert line, "the full disk was not reported: " + said
            os.remove("/proc/%d/cwd/disk/ballast" % process.pid)
            status, _, more = faults.end_of(process, b"\n")
            wrong = ["ended with %s" % status] if status != 0 or faults.sanitized(more) else []
            if "can be written again" not in more or lost_records(more):
                wrong.append("no word that it is over, or something is lost")
            if records_in(the_log()) != records or arrived(mode, command, server, wrong) != STEPS:
                wrong.append("%d records there of %d" % (records_in(the_log()), records))
        passed += faults.tell("wandb_space", wrong, said + more)
    return trials, passed, "rows after recovery: all %d, by %s" % (STEPS, name)


# ---- a service that is away ------------------------------------------------------------------------

def online(close_timeout):
    faults.write_config(["wandb: { mode: online, run_id: r0, project: ends, interval: 1s }"],
                        ", close_timeout: %s" % close_timeout)


def outage(seconds, _):
    """The service is away from the second second of a loop on; gives (whether all went well, ms of p99, steps)."""
    steps, wrong = int((seconds * 1.2 + 2) * RATE), []
    online("300s")
    with stand_in() as server:
        process = faults.loop("steps=%d" % steps, "rate=%d" % RATE, "times=times", env=account(server))
        faults.wait_until(lambda: losses(run_at(server, 0)), "the first rows")
        server.say("fault dead seconds=%g" % seconds)
        status, _, said = faults.end_of(process)
        rows = rows_of(run_at(server, 0), wrong)
    if status != 0 or faults.sanitized(said) or rows != steps:
        wrong.append("ended with %s, %d rows of %d" % (status, rows, steps))
    return faults.tell("outage", wrong, said), senders.quantile_ms("times", 0.99), steps


@row(1, short=1, full=3)
def wandb_outage(trials):
    """The service is away for a while (60 s): every row arrives, once and in order, and the loop does not notice."""
    uploader(False)
    return senders.outages(trials, outage, "rows")


@contextlib.contextmanager
def away(close_timeout, fault):
    """A service with a fault, for a run in an empty folder: gives the service and the loop's environment."""
    shutil.rmtree("wandb", ignore_errors=True)
    online(close_timeout)
    with stand_in() as server:
        server.say("fault " + fault)
        yield server, account(server)


@row(3, short=1, full=6)
def wandb_mute(trials):
    """The service takes a request and says nothing, says a byte a second, is away: no step of the loop takes longer."""
    uploader(False)
    return senders.mute("wandb_mute", trials, lambda trial: away("1s", ("mute", "drip", "dead")[trial % 3]))


def rows_after(server, said, wrong):
    """Uploads what a run whose service was never there has written, and gives how many rows arrived."""
    server.say("clear")
    upload(faults.COMMAND, ["."], server)
    (folder,) = glob.glob(os.getcwd() + "/wandb/run-*-r0")
    if "stepwatch sync " + folder not in said:
        wrong.append("the command to upload %s was not said" % folder)
    return rows_of(run_at(server, 0), wrong)


@row(2, short=1, full=20)
def wandb_never_back(trials):
    """The service is never there: the program ends in time, says how to upload the file, and that has every row."""
    uploader(False)
    return senders.never_back("wandb_never_back", trials, lambda: away(senders.CLOSE, "dead"), rows_after, "rows in the file")


# ---- several processes -----------------------------------------------------------------------------

def resumed(folder, steps, server, *more):
    """Starts a process of the run r0 in a folder of its own, after the first row has arrived where it has to wait."""
    os.mkdir(folder)
    with faults.inside(folder):
        faults.write_config(["wandb: { mode: online, run_id: r0, project: ends, interval: 100ms, resume: allow }"],
                            ", close_timeout: 60s")
        return faults.loop("steps=%d" % steps, "rate=%d" % RATE, *more, env=account(server))


def in_file(folder):
    """What a dry run says is in the file of a process."""
    (path,) = glob.glob(folder + "/wandb/run-*")
    done = subprocess.run([faults.COMMAND, "sync", "--dry-run", "--again", "--json", path], env=faults.environment(),
                          stdout=subprocess.PIPE, timeout=60, check=True)
    return faults.json.loads(done.stdout)["runs"][0]


WAYS = (None, "fault 503 on=file_stream", "fault reset on=file_stream stored=yes", "fault 503 on=file_stream stored=yes")


def kill(process, server, way):
    """At any time, with rows that were not taken, or taken without a word."""
    faults.wait_until(lambda: losses(run_at(server, 0)), "the first rows")
    time.sleep(random.uniform(0, 0.3))
    if way:
        server.say(way)
    time.sleep(random.uniform(1, 2))
    process.send_signal(signal.SIGKILL)
    faults.end_of(process)
    server.say("clear")


def two_processes(trial, wrong):
    """A process is killed, another one goes on and ends well or not, then both files are uploaded. Gives the rows,
    and how many were stored twice: those of a post that was stored without an answer, if both processes wrote rows."""
    with stand_in() as server:
        kill(resumed("first", 100000, server), server, WAYS[trial % len(WAYS)])
        dies, before = trial % 3 == 2, len(losses(run_at(server, 0)))
        second = resumed("second", 100000 if dies else 100, server)
        if dies:
            faults.wait_until(lambda: len(losses(run_at(server, 0))) > before, "rows of the second process")
            kill(second, server, WAYS[(trial + 1) % len(WAYS)])
        elif faults.end_of(second)[0] != 0:
            wrong.append("the second process failed")
        order = ["first", "second"] if trial % 2 else ["second", "first"]
        said = "".join(upload(faults.COMMAND, [folder], server) for folder in order)
        run, expected = run_at(server, 0), sum(in_file(folder)["rows"] for folder in order)
    rows = [faults.json.loads(text) for text in run["lines"]["wandb-history.jsonl"]]
    # The report's two rows of tables are of one time.
    different = len({(row["_timestamp"], "profile_results" in row) for row in rows})
    twice = len(rows) - different
    if different != expected or run["rewritten"] or (twice and "the run may have them twice" not in said):
        wrong.append("%d rows of %d, %d of them different" % (len(rows), expected, different))
    if any(one["_step"] >= other["_step"] for one, other in zip(rows, rows[1:])):
        wrong.append("steps that do not grow")
    newest = max((row for row in rows if "train/loss" in row), key=lambda row: row["_timestamp"])
    if faults.json.loads(run["lines"]["wandb-summary.json"][-1])["train/loss"] != newest["train/loss"]:
        wrong.append("the summary went back")
    if run["state"] != ("failed" if dies else "finished"):
        wrong.append("the run is %s" % run["state"])
    if wrong:
        print(said, file=sys.stderr)
    return expected, twice


@row(10, short=2, full=24)
def wandb_resumed(trials):
    """A run is killed and goes on in another process; the files of both are uploaded afterwards, in either order."""
    uploader(False)
    passed, rows, doubled = 0, 0, 0
    for trial in range(trials):
        wrong = []
        expected, twice = two_processes(trial, wrong)
        rows, doubled = rows + expected, doubled + twice
        passed += faults.tell("wandb_resumed", wrong, "")
        shutil.rmtree("first")
        shutil.rmtree("second")
    return trials, passed, ("of %d rows lost: 0; stored twice, which a message said: %d; runs that finished and did not "
                            "stay so: 0" % (rows, doubled))


@row(11, short=1, full=20)
def wandb_summary(trials):
    """A process online, looked at again and again, killed and uploaded: its summary is that of its rows."""
    uploader(False)
    passed, moments = 0, 0
    for _ in range(trials):
        wrong = []
        with stand_in() as server:
            process = resumed("first", 100000, server)
            faults.wait_until(lambda: losses(run_at(server, 0)), "the first rows")
            end = time.monotonic() + random.uniform(1, 2)
            while time.monotonic() < end:
                summary_of(run_at(server, 0), wrong)
                moments += 1
            process.send_signal(signal.SIGKILL)
            faults.end_of(process)
            upload(faults.COMMAND, ["first"], server)
            summary_of(run_at(server, 0), wrong)
        passed += faults.tell("wandb_summary", wrong[:5], "")
        shutil.rmtree("first")
    return trials, passed, "at %d moments and after each SIGKILL: the last value of each metric" % moments


class Elsewhere:
    """A process of another machine that writes the run r0, as far as the service can tell: in a with statement."""

    def __init__(self, server, lives):
        self.server, self.over = server, threading.Event()
        self.ask("/graphql", {"operationName": "UpsertBucket", "variables": {"config": faults.json.dumps(
            {"_wandb": {"value": {"t": {}, "e": {"far": {"writerId": "far", "startedAt": "2026-01-01T00:00:00Z"}}}}})},
            "query": 'mutation UpsertBucket($config: JSONString) { upsertBucket(input: {name: "r0", modelName: "ends", '
                     "config: $config}) { bucket { id } } }"})
        self.thread = threading.Thread(target=self.write, args=(100 if lives else 1,), daemon=True)

    def ask(self, path, body):
        key = base64.b64encode(("api:" + service.KEY).encode()).decode()
        urllib.request.urlopen(urllib.request.Request(
            self.server.url + path, faults.json.dumps(body).encode(), {"Authorization": "Basic " + key}), timeout=30).close()

    def write(self, rows):
        for k in range(rows):
            line = '{"_step":%d,"_timestamp":%d,"_runtime":1,"far":%d}' % (k, 1767225600 + k, k)
            self.ask("/files/fake-entity/ends/r0/file_stream",
                     {"files": {"wandb-history.jsonl": {"offset": k, "content": [line]}}})
            if self.over.wait(0.5):
                return

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def cut_off(wrong):
    """A process that is stopped while another one writes its run: it says so once and leaves that one's rows."""
    with stand_in() as server:
        process = resumed("first", 5 * RATE, server)
        faults.wait_until(lambda: losses(run_at(server, 0)), "the first rows")
        process.send_signal(signal.SIGSTOP)
        time.sleep(37)
        server.say("another 3")
        before = len(losses(run_at(server, 0)))
        process.send_signal(signal.SIGCONT)
        status, _, said = faults.end_of(process)
        if status != 0 or said.count("was written by another process") != 1 or "stepwatch sync" not in said:
            wrong.append("ended with %s" % status)
        if run_at(server, 0)["rewritten"] or len(losses(run_at(server, 0))) != before or before == 5 * RATE:
            wrong.append("rows were sent")
        if glob.glob("first/wandb/run-*/*.synced"):
            wrong.append("the file is marked as uploaded")
        upload(faults.COMMAND, ["first"], server)
        if run_at(server, 0)["rewritten"] or len(losses(run_at(server, 0))) != 5 * RATE:
            wrong.append("rows were lost or doubled")
    return said


@row(12, short=1, full=6)
def wandb_two(trials):
    """Another machine writes the run: the second process gets a message and sends no row. When the other is silent, the run continues."""
    uploader(False)
    passed = 0
    for trial in range(trials):
        wrong, lives = [], trial % 3 == 0
        if trial % 3 == 2:
            said = cut_off(wrong)
            passed += faults.tell("wandb_two", wrong, said)
            shutil.rmtree("first")
            continue
        with stand_in() as server, Elsewhere(server, lives):
            faults.wait_until(lambda: run_at(server, 0) and run_at(server, 0)["lines"], "the other's first row")
            process = resumed("first", (1 if lives else 45) * RATE, server)
            status, _, said = faults.end_of(process)
            rows = len(losses(run_at(server, 0)))
            told = "is being written by another process" in said and "stepwatch sync" in said
            if status != 0 or run_at(server, 0)["rewritten"] or "another process may still be writing it" not in said:
                wrong.append("ended with %s" % status)
            if told != lives or rows != (0 if lives else 45 * RATE):
                wrong.append("%d rows were sent" % rows)
        passed += faults.tell("wandb_two", wrong, said)
        shutil.rmtree("first")
    return trials, passed, "rows stored over another's: 0"
