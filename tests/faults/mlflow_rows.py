# SPDX-License-Identifier: MIT
"""Runs of MLflow whose program, disk or server fails: each value arrives once, and the loop does not notice."""
import collections, concurrent.futures, contextlib, glob, os, random, re, shutil, subprocess, sys, tempfile, time, unittest.mock, urllib.request

import disk
import faults
import senders
import wandb_rows
from faults import row
from wandb_rows import ENDS, RATE

for name in [name for name in os.environ if name.startswith("MLFLOW")]:
    del os.environ[name]

STATUSES = {"exit": "FAILED", "fork": "FINISHED"}  # all other ends are by a signal, or leave a journal without an end
STEPS = 4000
STAND_IN = os.path.abspath(os.path.join(faults.SRCDIR, "tests/mlflow/server.py"))


# ---- the server ------------------------------------------------------------------------------------

class Server:
    """The stand-in of tests/mlflow, in a with statement."""

    def __init__(self, *words):
        with open(os.path.join(faults.BUILDDIR, "config.h")) as config:
            if "#define HAVE_SEND 1" not in config.read():
                raise faults.Skip("built without libcurl or jansson")
        self.folder = tempfile.mkdtemp(prefix="faults-mlflow-")
        self.process = subprocess.Popen(
            [sys.executable, "-B", STAND_IN, self.folder + "/requests", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.url = "http://127.0.0.1:%d" % int(self.process.stdout.readline())

    def ask(self, path, body=None):
        with urllib.request.urlopen(urllib.request.Request(self.url + path, body), timeout=60) as answer:
            return answer.read()

    def say(self, words):
        """Replaces the faults."""
        self.ask("/faults", words.encode())

    def runs(self):
        """By the tag that the sink gives each."""
        found = collections.defaultdict(list)
        for run in faults.json.loads(self.ask("/state"))["runs"].values():
            if run["info"]["lifecycle_stage"] == "active":
                found[run["tags"]["stepwatch.run"]].append(run)
        return found

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        shutil.rmtree(self.folder)


def at(server):
    return {"HOME": os.getcwd(), "MLFLOW_TRACKING_URI": server.url, "no_proxy": "*"}


def sync(server, folder="."):
    done = subprocess.run([faults.COMMAND, "sync", *glob.glob(os.path.join(folder, "**/mlflow/run-*"), recursive=True)],
                          env=faults.environment(**at(server)), timeout=600, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode("utf-8", "replace")


def folder_of(where="."):
    (folder,) = glob.glob(os.path.join(where, "**/mlflow/run-*"), recursive=True)
    return folder


def run_of(server, folder, wrong):
    runs = server.runs()[folder.rsplit("-", 1)[1]]
    if len(runs) != 1:
        wrong.append("%d runs" % len(runs))
    return runs[0] if runs else None


def values_of(run, wrong):
    """How many steps there are: the loop logs 1 / (step + 1), and each step has one value."""
    points = sorted((step, value) for key, step, _, value in run["metrics"] if key == "train/loss") if run else []
    if points != [(k, 1.0 / (k + 1)) for k in range(len(points))]:
        wrong.append("steps that are missing between others, or doubled")
    return len(points)


# ---- ends ------------------------------------------------------------------------------------------

def judge(trial, ended, said, server):
    wrong, folders = [], glob.glob(str(trial.number) + "/runs/mlflow/run-*")
    run = run_of(server, folders[0], wrong) if folders else None
    rows = values_of(run, wrong)
    if run and run["info"]["status"] != STATUSES.get(trial.how, "KILLED"):
        wrong.append("the status is %s" % run["info"]["status"])
    return wandb_rows.result_of(trial, ended, said, rows, wrong)


def surroundings(server, online):
    """Of a program. An end may leave threads of libcurl and OpenSSL at their work, whose memory counts as leaked then."""
    without_leaks = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return {**at(server), "ASAN_OPTIONS": without_leaks} if online else {}


def treat(trials, seconds, online):
    """Ends these at about the same time, uploads what is missing by one command, and looks what arrived."""
    with Server() as server:
        with unittest.mock.patch.dict(os.environ, surroundings(server, online)):
            started = [wandb_rows.begin(number, how, seconds, "mlflow: { experiment: ends, interval: 200ms }") for number, how in trials]
        with concurrent.futures.ThreadPoolExecutor(len(started)) as threads:
            ends = list(threads.map(wandb_rows.end_one, started))
        printed = sync(server)
        results = [judge(trial, ended, said, server) for trial, (ended, _, said) in zip(started, ends)]
    for result in results:
        faults.tell(result.how, result.wrong, printed)
    return results


@row(7, short=1, full=50)
def mlflow_ends(trials):
    """However a program ends, at a random time, online or not: at most a second of values is missing after a sync."""
    all_of_them = list(enumerate(how for _ in range(trials) for how in ENDS))
    results = []
    for first in range(0, len(all_of_them), len(ENDS)):
        online = trials == 1 or first // len(ENDS) % 2 == 0
        results += treat(all_of_them[first:first + len(ENDS)], 3 if trials > 1 else 1, online)
    # A loaded machine delays the sink's thread as any other: the second is judged where it is measured alone.
    limit = 1.1 if trials > 1 else 60
    passed = sum(not result.wrong and result.seconds <= limit for result in results)
    sudden = [result for result in results if not ENDS[result.how].keeps_all]
    return len(results), passed, "lost at most %.2f s (%d steps) by SIGKILL and _exit(), none otherwise; doubled: 0" % (
        max(r.seconds for r in sudden), max(r.lost for r in sudden))


# ---- a full disk -----------------------------------------------------------------------------------

def on_disk(size, then, *more):
    """Starts the loop with its journal on a small disk, which goes with it: what is there is copied."""
    shutil.rmtree("mlflow", ignore_errors=True)
    faults.write_config(["mlflow: { mode: offline, system: false, dir: disk }", "csv: { path: report.csv }"])
    wrapper = disk.mounted("size=" + size, "trap 'cp -r disk/mlflow .' EXIT; " + then)
    return faults.loop("steps=%d" % STEPS, "rate=4000", "fake=1", *more, wrapper=wrapper)


@row(8, short=1, full=10)
def mlflow_disk_full(trials):
    """256 KiB are full after a moment: what is missing is reported, what is there is uploaded."""
    passed, slowest, most = 0, 0, 0
    for _ in range(trials):
        wrong = []
        with Server() as server:
            status, out, said = faults.end_of(on_disk("256k", "true"))
            printed = sync(server, "mlflow/..")
            rows = values_of(run_of(server, folder_of(), wrong), wrong)
        lost = sum(map(int, re.findall(r"(\d+) records? lost", said)[-1:]))
        if status != 1 or faults.sanitized(said):
            wrong.append("ended with %s" % status)
        if said.count("warning: sink mlflow: the journal cannot be written: No space left") != 1:
            wrong.append("not reported exactly once")
        if not rows or rows + lost < STEPS:
            wrong.append("%d steps uploaded, %d records lost, of %d" % (rows, lost, STEPS))
        passed += faults.tell("mlflow_disk_full", wrong, said + printed)
        slowest, most = max(slowest, faults.slowest_ms(out)), max(most, STEPS - rows)
    return trials, passed, "of %d steps at most %d lost, all reported, the others uploaded; slowest step %.2f ms" % (STEPS, most, slowest)


@row(9, short=1, full=10)
def mlflow_space(trials):
    """The disk is full until the loop has gone on for a while: every value arrives."""
    passed = 0
    for _ in range(trials):
        wrong, said = [], ""
        process = on_disk("4m", "head -c 4100000 /dev/zero >disk/ballast", "pause=2000")
        while "No space left on device" not in said:
            line = process.stderr.readline().decode()
            said += line
            assert line, "the full disk was not reported: " + said
        os.remove("/proc/%d/cwd/disk/ballast" % process.pid)
        status, _, more = faults.end_of(process, b"\n")
        with Server() as server:
            sync(server)
            rows = values_of(run_of(server, folder_of(), wrong), wrong)
        if status != 0 or faults.sanitized(more) or rows != STEPS:
            wrong.append("ended with %s, %d steps of %d" % (status, rows, STEPS))
        passed += faults.tell("mlflow_space", wrong, said + more)
    return trials, passed, "steps after recovery: all %d" % STEPS


# ---- a server that is away -------------------------------------------------------------------------

def online(close_timeout):
    shutil.rmtree("runs", ignore_errors=True)
    faults.write_config(["mlflow: { experiment: away, interval: 500ms }"], ", close_timeout: %s" % close_timeout)


AWAY = ("dead:1:/", "fail:1:503:/", "fail:1:429:/")


def outage(seconds, trial):
    """The server is away from the second second of a loop on; gives (whether all went well, ms of p99, steps)."""
    steps, wrong = int((seconds * 1.2 + 2) * RATE), []
    online("300s")
    with Server() as server:
        process = faults.loop("steps=%d" % steps, "rate=%d" % RATE, "times=times", env=at(server))
        faults.wait_until(lambda: any(run[0]["metrics"] for run in server.runs().values()), "the first values")
        server.say(AWAY[trial % len(AWAY)])
        time.sleep(seconds)
        server.say("")
        status, _, said = faults.end_of(process)
        run = run_of(server, folder_of(), wrong)
        rows = values_of(run, wrong)
    if status != 0 or faults.sanitized(said) or rows != steps or run["info"]["status"] != "FINISHED":
        wrong.append("ended with %s, %d steps of %d" % (status, rows, steps))
    return faults.tell("mlflow_outage", wrong, said), senders.quantile_ms("times", 0.99), steps


@row(1, short=1, full=3)
def mlflow_outage(trials):
    """The server closes connections, is busy or has too many requests for a while (60 s): every value arrives, and the loop goes on."""
    return senders.outages(trials, outage, "steps")


@contextlib.contextmanager
def away(close_timeout, fault):
    """A server with a fault: gives the server and the loop's environment."""
    online(close_timeout)
    with Server(fault) as server:
        yield server, at(server)


@row(3, short=1, full=6)
def mlflow_mute(trials):
    """The server takes a request and says nothing, says a byte a second, is away: no step of the loop takes longer."""
    faults_of = ("mute:1000:/", "drip:1000:/", "dead:1:/")
    return senders.mute("mlflow_mute", trials, lambda trial: away("1s", faults_of[trial % 3]))


def steps_after(server, said, wrong):
    """Uploads the journal of a run whose server was never there, and gives how many steps arrived."""
    server.say("")
    sync(server)
    if "stepwatch sync " not in said:
        wrong.append("the command to upload the journal was not said")
    return values_of(run_of(server, folder_of(), wrong), wrong)


@row(2, short=1, full=20)
def mlflow_never_back(trials):
    """The server is never there: the program ends in time, says how to upload the journal, and that has every value."""
    return senders.never_back("mlflow_never_back", trials, lambda: away(senders.CLOSE, "dead:1:/"), steps_after, "steps in the journal")


@row(4, short=1, full=6)
def mlflow_refused(trials):
    """The server refuses everything for good, as with a quota that is used up: said once, and a later sync has every value."""
    passed = 0
    for trial in range(trials):
        online("10s")
        wrong, refusal = [], (403, 402, 507)[trial % 3]
        with Server("fail:1:%d:/" % refusal) as server:
            status, _, said = faults.run_loop("steps=%d" % RATE, "rate=%d" % RATE, env=at(server))
            server.say("")
            sync(server)
            rows = values_of(run_of(server, folder_of(), wrong), wrong)
        if status != 0 or faults.sanitized(said) or said.count("answered %d" % refusal) != 1 or rows != RATE:
            wrong.append("ended with %s, %d steps of %d" % (status, rows, RATE))
        passed += faults.tell("mlflow_refused", wrong, said)
    return trials, passed, "said once; steps by a later sync: all %d" % RATE
