# SPDX-License-Identifier: MIT
"""Configurations that are wrong, hostile or huge, and files that were damaged after they were written."""
import glob, json, os, random, re, shutil, struct, subprocess

import faults, readers, viewer
from faults import row

OPENS = os.path.join(faults.BUILDDIR, "tests/faults/opens")
MOST_US, MOST_KIB = 50000, 32 * 1024


# ---- configurations ------------------------------------------------------------------------------

BEFORE = b"logger_callback:\n  - runlog: { path: run.jsonl }\n  - csv: { path: report.csv }\n"
HOSTILE = {
    "alias bomb": b"a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + b"".join(
        b"a%d: &a%d [%s]\n" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, 10)),
    "list within itself": b"plugin_path: &a [*a]\n",
    "mapping within itself": b"profiler: &a { mode: *a }\n",
    "100,000 nested brackets": b"plugin_path: " + b"[" * 100000,
    "100,000 nested braces": b"profiler: " + b"{a: " * 100000,
    "100,000 dashes": b"plugin_path:\n  " + b"- " * 100000,
    "duplicate keys": b"name: a\nname: b\n",
    "a key of 2 MB": b"k" * 2000000 + b": 1\n",
    "a value of 2 MB": b"name: " + b"v" * 2000000 + b"\n",
    "100,001 nodes": b"plugin_path: [" + b"x, " * 100001 + b"]\n",
    "a thousand unknown keys": b"".join(b"key%d: 1\n" % i for i in range(1000)),
    "two documents": b"name: a\n---\nname: b\n",
    "a tag of Python": b"name: !!python/object:os.system x\n",
    "NUL": b"name: a\0b\n",
    "no UTF-8": b"name: \xff\xfe\xfd\n",
}


def open_alone(path):
    """(whether it was opened, microseconds, KiB, what was said, exit status) of a process that does nothing else."""
    done = subprocess.run([OPENS, path], env=faults.environment(), capture_output=True, timeout=faults.PATIENCE)
    said = done.stderr.decode("utf-8", "replace")
    word, us, kib = done.stdout.decode().split() if done.returncode == 0 else ("died", 0, 0)
    return word, int(us), int(kib), said, done.returncode


def judge_opening(what, path, must_refuse, judge_time):
    """(whether it is as it should be, microseconds, KiB, what)."""
    before = set(os.listdir("."))
    word, us, kib, said, status = open_alone(path)
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    wrong += ["it was opened"] if must_refuse and word == "opened" else []
    # What is too large or UTF-16 is so as a whole.
    wrong += ["no place"] if word == "refused" and not re.search(re.escape(path) + r":(\d+:\d+:| is )", said) else []
    wrong += ["a start that is not whole: %s" % set(os.listdir("."))] if word == "refused" and set(os.listdir(".")) != before else []
    wrong += ["%d us, %d KiB" % (us, kib)] if judge_time and us > MOST_US or not faults.SANITIZER and kib > MOST_KIB else []
    return faults.tell(what, wrong, said), us, kib, what


@row(11, short=1, full=5)
def hostile_configs(trials):
    """Alias bombs, self-reference, deep nesting, duplicate and huge keys, and every configuration of tests/config."""
    seeds = sorted(glob.glob(os.path.join(faults.SRCDIR, "tests/config/*/*.yaml")))
    if trials == 1:  # tests/config reads them all
        seeds = random.sample(seeds, 20)
    judge_time, results = trials > 1 and not faults.SANITIZER, []  # where it is measured alone
    for _ in range(trials):
        for what, text in HOSTILE.items():
            with open("hostile.yaml", "wb") as file:
                file.write(BEFORE + text)
            results.append(judge_opening(what, "hostile.yaml", True, judge_time))
        os.remove("hostile.yaml")
        for seed in seeds:
            path = os.path.basename(seed)
            shutil.copyfile(seed, path)
            results.append(judge_opening(path, path, "/faulty/" in seed, judge_time))
            for left in os.listdir("."):
                os.remove(left)
    slowest, largest = max(results, key=lambda result: result[1]), max(results, key=lambda result: result[2])
    return len(results), sum(result[0] for result in results), "longest %.1f ms (%s); most %.1f MiB (%s)" % (
        slowest[1] / 1000, slowest[3], largest[2] / 1024, largest[3])


# ---- damaged files -------------------------------------------------------------------------------

STEPS = 201


def flipped(data, begin, end):
    at = random.randrange(begin, end)
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1:]


def zeroed(data, begin, end):
    at = random.randrange(begin, max(begin + 1, end - 64))
    return data[:at] + bytes(min(64, end - at)) + data[min(at + 64, end):]


def cut(data, begin, end):
    return data[:random.randrange(begin + 1, end - 1)] + data[end:]


def one_run(sinks):
    faults.empty_folder()
    os.mkdir("there")
    faults.write_config(sinks)
    status, _, said = faults.run_loop("steps=%d" % STEPS, "fake=1")
    assert status == 0, said


def command(*arguments):
    """(status, what it printed, what it said)."""
    done = subprocess.run([faults.COMMAND, *arguments], env=faults.environment(), capture_output=True, timeout=faults.PATIENCE)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def step_line(data):
    """Where a line of some step begins and ends, its newline not counted."""
    begin = data.index(b'{"type":"step"', data.index(b'"step":%d,"phase"' % random.randrange(50, 150)) - 60)
    return begin, data.index(b"\n", begin)


def judge_log(what, data):
    """What is wrong with what is made of a log with one damaged line, and how many steps were found in it."""
    with open("damaged.jsonl", "wb") as file:
        file.write(data)
    status, document, said = faults.report_of("damaged.jsonl")
    run = document["runs"][0] if document and document["runs"] else None
    steps = run["reports"][0]["steps"] if run and run["reports"] else 0
    # A bit of a number gives another number: nobody can tell.
    wrong = ["%d of %d steps" % (steps, STEPS)] if steps < STEPS - 1 else []
    wrong += ["%d damaged lines, %d steps" % (run["log"]["damaged"], steps)] if run and run["log"]["damaged"] > 1 else []
    wrong += ["ended with %s" % status] if status != 0 or faults.sanitized(said) else []
    compared, _, told = command("compare", "damaged.jsonl", "run.jsonl")
    wrong += ["compare ended with %s" % compared] if compared != 0 or faults.sanitized(told) else []
    return faults.tell(what, wrong, said + told), STEPS - steps


@row(13, short=6, full=300)
def damaged_logs(trials):
    """One line of a run log is flipped, zeroed or cut: report and compare leave it out and say so."""
    one_run(["runlog: { path: run.jsonl }"])
    with open("run.jsonl", "rb") as file:
        data = file.read()
    results = []
    for trial in range(trials):
        damage = (flipped, zeroed, cut)[trial % 3]
        results.append(judge_log(damage.__name__, damage(data, *step_line(data))))
    return trials, sum(fine for fine, _ in results), "lost at most %d of %d steps" % (max(lost for _, lost in results), STEPS)


@row(13, short=6, full=300)
def damaged_anywhere(trials):
    """Any bytes of a log and of a file of wandb: no crash, no hang, and a sentence where nothing can be made of it."""
    faults.require_sinks("wandb")
    one_run(["runlog: { path: run.jsonl }", "wandb: { mode: offline, dir: there }"])
    wandb = glob.glob("there/wandb/*-run-*/*.wandb")[0]
    passed = 0
    for path, arguments in (("run.jsonl", ("report", "--json", "damaged")), (wandb, ("sync", "--dry-run", "--json", "damaged.wandb"))):
        with open(path, "rb") as file:
            data = file.read()
        for trial in range(trials):
            damage = (flipped, zeroed, cut)[trial % 3]
            with open(arguments[-1], "wb") as file:
                file.write(damage(data, 0, len(data)))
            status, _, said = command(*arguments)
            wrong = ["ended with %s" % faults.signal_name(status)] if status not in (0, 1) or faults.sanitized(said) else []
            wrong += ["not said why"] if status == 1 and not said else []
            passed += faults.tell(damage.__name__, wrong, said)
    return 2 * trials, passed, "crashes, hangs: %d" % (2 * trials - passed)


# ---- logs of somebody else -----------------------------------------------------------------------

ODD = [None, True, -1, 0, 2 ** 40, -2 ** 40, 1e300, "NaN", "", "train", "x" * 300, [], {}, [[]], [None], {"a": 1}, [1e308]]
READERS = [
    "report LOG", "report LOG --columns all --format csv", "report LOG --format html", "report LOG --style tree", "report LOG --group-by shape",
    "report LOG --style torch --group-by stack", "merge LOG OTHER --force --by node", "merge OTHER LOG --force --by node --format html",
    "merge LOG OTHER --force --group-by shape --format csv", "compare LOG OTHER", "explain LOG", "watch LOG --once", "watch LOG --once --json --tail",
    "replay LOG --verify", "export LOG", "export LOG OTHER", "export LOG --format folded", "export LOG --steps 1-2", "export LOG --format torch -o t.json"]


def made_odd(lines):
    """A line is lost, doubled or elsewhere, or one value within it is lost or another one."""
    place = random.choice([0, random.randrange(len(lines))])
    kind = random.randrange(6)
    if kind == 0:
        del lines[place]
    elif kind == 1:
        lines.insert(place, random.choice(lines))
    elif kind == 2:
        del lines[place:]
    else:
        value, key = lines[place], random.choice(list(lines[place]))
        while isinstance(value[key], (dict, list)) and value[key] and random.random() < 0.7:
            value = value[key]
            key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if random.random() < 0.3:
            del value[key]
        else:
            value[key] = random.choice(ODD)
    return lines


def write_lines(path, lines):
    with open(path, "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@row(13, short=20, full=2000)
def odd_logs(trials):
    """Logs of two ranks in which one line or one value is not as it should be: no command crashes, hangs or says nothing."""
    passed = 0
    for _ in range(trials):
        detail = random.choice(["steps", "regions", "results", "summary"])
        for rank, path in enumerate(("LOG", "OTHER")):
            with open(os.path.join(faults.SRCDIR, "tests/golden/foreign/%s.%d.jsonl" % (detail, rank))) as file:
                lines = [json.loads(line.replace("@", "x")) for line in file]
            write_lines(path, made_odd(lines) if rank == 0 else lines)
        reader = random.choice(READERS)
        status, _, said = command(*reader.split())
        wrong = ["%s ended with %s" % (reader, faults.signal_name(status))] if status not in (0, 1, 2) or faults.sanitized(said) else []
        wrong += ["%s: not said why" % reader] if status and not said and "--verify" not in reader else []
        passed += faults.tell(detail, wrong, said)
    return trials, passed, "crashes, hangs: %d" % (trials - passed)


# ---- timelines of damaged logs ------------------------------------------------------------------

EXPORTED = [("chrome", "t.json"), ("perfetto", "t.pftrace"), ("torch", "t.pt.trace.json"), ("xplane", "t.xplane.pb"), ("folded", "t.folded"),
            ("speedscope", "t.speedscope.json")]


def judge_export(form, path):
    """What is wrong with the timeline of a damaged log: it is there and opens, or a sentence says why it is not."""
    if os.path.exists(path):
        os.remove(path)
    status, _, said = command("export", "damaged.jsonl", "--format", form, "-o", path)
    wrong = ["ended with %s" % faults.signal_name(status)] if status not in (0, 1) or faults.sanitized(said) else []
    wrong += ["not said why"] if status == 1 and not said else []
    wrong += ["half a file is left"] if status == 1 and glob.glob(path + "*") else []
    try:
        if status == 0 and path.endswith(".speedscope.json"):
            json.load(open(path, encoding="utf-8"))
        elif status == 0 and not path.endswith(".folded"):
            viewer.view(path)
    except (SystemExit, OSError, ValueError, KeyError) as why:
        wrong.append("%s: %s" % (path, why))
    return wrong, said


@row(13, short=6, full=300)
def damaged_exports(trials):
    """A log of all regions with bytes that are flipped, zeroed or cut anywhere: the timeline opens in each format, or a sentence says why not."""
    one_run(["runlog: { path: run.jsonl, detail: regions }"])
    with open("run.jsonl", "rb") as file:
        data = file.read()
    passed = 0
    for trial in range(trials):
        damage = (flipped, zeroed, cut)[trial % 3]
        with open("damaged.jsonl", "wb") as file:
            file.write(damage(data, 0, len(data)))
        form, path = EXPORTED[trial % len(EXPORTED)]
        passed += faults.tell("%s as %s" % (damage.__name__, form), *judge_export(form, path))
    return trials, passed, "crashes, timelines that do not open: %d" % (trials - passed)


def records_of(data):
    """(begin, end) of each record's content in a file of wandb, of those that are whole within a block."""
    at, found = 7, []
    while at + 7 < len(data):
        if readers.BLOCK - at % readers.BLOCK < 7:
            at += readers.BLOCK - at % readers.BLOCK
            continue
        size, kind = struct.unpack_from("<HB", data, at + 4)
        found += [(at + 7, at + 7 + size)] if kind == readers.FULL else []
        at += 7 + size
    return found


@row(13, short=6, full=300)
def damaged_wandb(trials):
    """One record of a file of wandb is flipped or zeroed: sync finds all other rows."""
    faults.require_sinks("wandb")
    one_run(["wandb: { mode: offline, dir: there }"])
    with open(glob.glob("there/wandb/*-run-*/*.wandb")[0], "rb") as file:
        data = file.read()
    status, out, said = command("sync", "--dry-run", "--json", "there")
    rows, records = json.loads(out)["runs"][0]["rows"], records_of(data)
    passed, lost = 0, 0
    for trial in range(trials):
        with open("damaged.wandb", "wb") as file:
            file.write((flipped, zeroed)[trial % 2](data, *random.choice(records[20:-20])))
        status, out, said = command("sync", "--dry-run", "--json", "damaged.wandb")
        run = json.loads(out)["runs"][0]
        wrong = ["ended with %s" % status] if status != 0 or faults.sanitized(said) else []
        wrong += ["%d rows of %d, %d skipped" % (run["rows"], rows, run["skipped"])] if run["rows"] < rows - 1 or run["skipped"] != 1 else []
        passed, lost = passed + faults.tell("one record", wrong, said), max(lost, rows - run["rows"])
    return trials, passed, "lost at most %d of %d rows" % (lost, rows)
