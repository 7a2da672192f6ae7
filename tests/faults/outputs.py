# SPDX-License-Identifier: MIT
"""Odd values and names in every output: all are kept, and none steers who reads it."""
import collections, csv, glob, html.parser, json, math, os, random, re, shutil, subprocess, unicodedata

import faults, inputs, readers
from faults import reports, row
from many import SINKS, crowd, judge

ALL_SINKS = SINKS + ["tensorboard: { logdir: runs, run: here }", "wandb: { mode: offline, dir: there }"]


def whole_run(how, number, data=None):
    """(status, what was said, lines of the log, values in the event file by tag, rows of wandb)."""
    faults.require_sinks("tensorboard", "wandb")
    for folder in ("runs", "there"):
        shutil.rmtree(folder, ignore_errors=True)
    os.mkdir("there")
    status, said, lines = crowd(how, number, sinks=ALL_SINKS, data=data)
    values = collections.defaultdict(list)
    for tag, value in readers.events(glob.glob("runs/here/*")[0]):
        values[tag].append(value)
    return status, said, lines, values, list(readers.rows(glob.glob("there/wandb/*-run-*/*.wandb")[0]))


# ---- values --------------------------------------------------------------------------------------

def kinds(values):
    """How many of the odd values are NaN, infinite, or a number."""
    numbers = [float(value) for value in values]
    return [sum(map(test, numbers)) for test in (math.isnan, math.isinf, math.isfinite)]


@row(23, short=1, full=5)
def odd_values(trials):
    """10,000 steps of NaN, infinities and huge values, batches of negative and huge size: all outputs keep them."""
    passed = 0
    for _ in range(trials):
        status, said, lines, values, rows = whole_run("values", 10000)
        logged = [line["value"] for line in lines if line["type"] == "metric" and line["name"] == "odd"]
        report = reports(lines)[0]
        sound = all(isinstance(r["mean_ns"], (int, float)) and math.isfinite(r["mean_ns"]) for r in report["rows"])
        expected = [1250, 2500, 6250]
        passed += judge("values", status, said, lines, ("in the run log: %s" % kinds(logged), kinds(logged) == expected),
                        # A single-precision number has no 1e308.
                        ("in the event file: %s" % kinds(values["odd"]), kinds(values["odd"]) == [1250, 5000, 3750]),
                        ("in wandb: %d" % len(rows), kinds([r["odd"] for r in rows if "odd" in r]) == expected),
                        ("statistics are poisoned", sound), ("calls are missing", report["steps"] == 10000))
    return trials, passed, "values lost: 0 of 10,000 in the run log, the event file and wandb"


# ---- names ---------------------------------------------------------------------------------------

NAMES = [b"\x1b[31mred", "right\u202eleft".encode(), b"a,b", b'quote"quote', b"pipe|pipe", b"line\nline", b"=cmd()", b"+1",
         b"-1", b"@sum", b"\ttab", b"\rreturn", b"x" * 65536, b"\xff\xfe", b"../../up", b"%n%s%n", b"<b>bold</b>", b"`tick`",
         b"del\x7f", "c1\u0085".encode(), "line\u2028line".encode(), "\u2066isolate".encode()]


def steering(text):
    """Characters that steer a terminal or turn a line around."""
    return sorted({hex(ord(c)) for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")})


def unsafe(path):
    with open(path, "rb") as file:
        return steering(file.read().decode("utf-8"))  # raises where it is none


FORMATS = ("table", "plain", "markdown", "csv", "html", "json")
HERE = {"stepwatch.yaml", "run.jsonl", "report.csv", "table.txt", "report.md", "runs", "there"} | {
    "again." + form for form in FORMATS}


def formulas(path="report.csv"):
    """Cells that a spreadsheet would calculate: a CSV has control characters as they are."""
    with open(path, newline="") as file:
        cells = [cell for line in csv.reader(file) for cell in line]
    return [cell for cell in cells if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and
            not re.fullmatch(r"-?[0-9.,e+-]*[a-zµ%]*", cell)]


def ragged(path="report.md"):
    """Rows of a markdown table that have another number of cells than the row above."""
    with open(path, encoding="utf-8") as file:
        pipes = [len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) if line.startswith("|") else 0 for line in file]
    return [n for before, n in zip(pipes, pipes[1:]) if before and n not in (0, before)]


class Page(html.parser.HTMLParser):
    """What of a page could run, load or look like something else."""
    found = ()

    def handle_starttag(self, tag, attributes):
        self.found += (tag,) if tag in ("b", "script", "img", "iframe", "object", "link") else ()
        self.found += tuple(name for name, _ in attributes if name.startswith("on"))


def unsafe_tags(text):
    page = Page()
    page.feed(text)
    return page.found


def printed(*arguments):
    done = subprocess.run([faults.COMMAND, "report", *arguments, "run.jsonl"], env=faults.environment(),
                          capture_output=True, timeout=faults.PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def again():
    """Sentences on what `stepwatch report` prints of the log."""
    wrong = []
    for form in FORMATS:
        with open("again." + form, "wb") as file:
            file.write(printed("--format", form))
        found = formulas("again.csv") if form == "csv" else unsafe("again." + form)
        # JSON may have anything but what its grammar forbids.
        found = [c for c in found if form != "json" or int(c, 16) < 0x20]
        wrong += ["%s: %s" % (form, found)] if found else []
    with open("again.html", encoding="utf-8") as file:
        wrong += ["in the page: %s" % found for found in [unsafe_tags(file.read())] if found]
    return wrong


def shown_texts():
    """Sentences on the tables that TensorBoard is to show as Markdown."""
    found = [text.decode("utf-8") for event in readers.framed(glob.glob("runs/here/*")[0])
             for value in readers.field(event, 5, 1) if readers.field(value, 1)[0].startswith(b"profile_")
             for text in readers.field(value, 8, 8)]
    wrong = [] if found else ["no text in the event file"]
    return wrong + ["a text with %s" % (steering(text) or "<b>") for text in found if steering(text) or "<b>" in text]


def uploaded(rows):
    """Sentences on what wandb gets: its page shows keys and files as they are."""
    text = "".join(key for each in rows for key in each)
    wrong = ["a key with %s" % found for found in [steering(text)] if found]
    for path in glob.glob("there/wandb/*-run-*/**", recursive=True):
        if path.endswith((".json", ".yaml", ".log")):
            wrong += ["%s: %s" % (path, found) for found in [unsafe(path)] if found]
    return wrong


def elsewhere():
    """Files where none should be."""
    return sorted((set(os.listdir("..")) - {"inside"}) | (set(os.listdir(".")) - HERE) |
                  (set(os.listdir("runs")) - {"here"}) | (set(os.listdir("there")) - {"wandb"}))


@row(22, short=1, full=1)
def names(trials):
    """ESC, bidi marks, commas, quotes, pipes, newlines, formulas, 64 KiB, invalid UTF-8, ../, %n in every output."""
    passed = 0
    os.mkdir("inside")
    os.chdir("inside")
    for _ in range(trials):
        status, said, lines, values, rows = whole_run("names-of", 1, data=b"\0".join(NAMES) + b"\0")
        shown = {path: unsafe(path) for path in ("table.txt", "report.md")}
        json_bytes = unsafe("run.jsonl")
        passed += judge("names", status, said, lines,
                        ("unescaped in tables: %s" % shown, not any(shown.values())),
                        ("control characters in JSON: %s" % json_bytes,
                         not [c for c in json_bytes if int(c, 16) < 0x20]),
                        ("formulas: %s" % formulas(), not formulas()), ("a ragged table: %s" % ragged(), not ragged()),
                        *((sentence, False) for sentence in again() + uploaded(rows) + shown_texts()),
                        ("names are missing in the event file", len(NAMES) <= len(values)),
                        ("files elsewhere: %s" % elsewhere(), not elsewhere()),
                        ("rows are missing", len([r for r in reports(lines)[0]["rows"] if r["calls"]]) >= len(NAMES)))
    return trials * len(NAMES), passed * len(NAMES), "unescaped: 0; files outside: 0"


# ---- texts of a log of somebody else -------------------------------------------------------------

MARKUP = [b"<script>alert(1)</script>", b"<img src=x onerror=alert(1)>", b"</title><b>", b"'&\\", b"\a\x1b]0;title\a", b"\xc2\x9b31m"]
SHOWN = inputs.READERS + [
    "report LOG --json", "report LOG --format markdown --columns all", "merge LOG OTHER --force --format csv --by node",
    "merge LOG OTHER --force --format markdown --by node", "merge LOG OTHER --force --json", "explain LOG --json"]


def foreign_text():
    pieces = [piece for piece in NAMES + MARKUP if len(piece) < 100]
    return b"".join(random.sample(pieces, random.randrange(1, 6))).decode("utf-8", "replace")


def unsafe_output(reader, path):
    """What of an output could steer who reads it; tables of other profilers have tabs of their own."""
    found = [c for c in unsafe(path) if c != "0x9"] if "csv" not in reader else formulas(path)
    with open(path, encoding="utf-8") as file:
        found += unsafe_tags(file.read()) if "html" in reader else ()
    return found + (ragged(path) if "markdown" in reader else [])


@row(22, short=20, full=1000)
def foreign_texts(trials):
    """Logs of two ranks, all of whose texts are scripts, formulas, marks and controls: no command passes them on to a terminal, a page, a table."""
    passed = 0
    for _ in range(trials):
        faults.empty_folder()
        detail, text, reader = random.choice(["steps", "regions", "results", "summary"]), foreign_text(), random.choice(SHOWN)
        for rank, path in enumerate(("LOG", "OTHER")):
            with open(os.path.join(faults.SRCDIR, "tests/golden/foreign/%s.%d.jsonl" % (detail, rank))) as file, open(path, "w") as out:
                out.write(file.read().replace("@", json.dumps(text)[1:-1]))
        status, printed, said = inputs.command(*reader.split())
        with open("printed", "wb") as file:
            file.write(printed)
        with open("said", "w", encoding="utf-8") as file:
            file.write(said)
        wrong = ["ended with %s" % faults.signal_name(status)] if status not in (0, 1, 2) or faults.sanitized(said) else []
        wrong += ["on standard error: %s" % found for found in [unsafe("said")] if found]
        for path in sorted(set(os.listdir(".")) - {"LOG", "OTHER", "said"}):
            wrong += ["%s: %s" % (path, found) for found in [unsafe_output(reader, path)] if found]
        passed += faults.tell("%s of %s with %r" % (reader, detail, text), wrong, said)
    return trials, passed, "outputs with a script, a formula, a control or a broken table: %d" % (trials - passed)
