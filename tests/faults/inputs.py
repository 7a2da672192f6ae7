# SPDX-License-Identifier: MIT
"""Configurations that are wrong, hostile or huge, and files that were damaged after they were written."""
import glob, os, re, shutil, subprocess

import faults
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
