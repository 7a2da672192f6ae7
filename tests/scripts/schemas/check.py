# SPDX-License-Identifier: MIT
# check.py SRCDIR BUILDDIR [EACH] - runs every command with --json on golden and odd logs, in the current folder, and validates
# what it prints against its schema. Prints each fault, and fails if there is one. EACH: only each so-and-so-many-th of the
# commands that read logs. See schemas.sh.
import glob
import gzip
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from jsonschema import Draft202012Validator

source, build, each = (sys.argv[1:] + ["1"])[:3]
stepwatch = build + "/tests/tools/stepwatch"
schemas = {os.path.basename(path).split(".")[0]: json.load(open(path)) for path in glob.glob(source + "/schemas/*.schema.json")}
faults = []
validated = set()


def fault(*text):
    faults.append(" ".join(str(part) for part in text))


def not_a_number(text):
    raise ValueError(text + " is not JSON")


def keys_once(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key is given twice: " + ", ".join(keys))
    return dict(pairs)


def parsed(text):
    return json.loads(text, parse_constant=not_a_number, object_pairs_hook=keys_once)


def validate(command, text, arguments):
    """The first fault of a document, or None."""
    try:
        text.decode("ascii")
        document = parsed(text)
    except ValueError as wrong:
        return "%s: %s" % (arguments, wrong)
    validated.add(command)
    for error in Draft202012Validator(schemas[command]).iter_errors(document):
        where = "/".join(str(part) for part in error.absolute_path)
        return "%s: %s: %s" % (arguments, where or "the document", error.message[:300])
    return None


# What a command prints with --json: one document that its schema describes; or, if it failed, at most that, and a
# message on standard error.
def run(command, *arguments, status=None, **how):
    words = [stepwatch, command, *arguments]
    ended = subprocess.run([*words, "--json"] if "--" not in words else words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=100, **how)
    shown = " ".join([command, *arguments])
    if ended.returncode < 0:
        fault(shown, "ended by signal", -ended.returncode)
    if status is not None and ended.returncode != status:
        fault(shown, "exits with", ended.returncode, "instead of", status, ended.stderr.decode(errors="replace")[:300])
    if ended.returncode == 2 and command != "compare" and ended.stdout:
        fault(shown, "prints to standard output although it is called wrongly")
    if not ended.stdout:
        if ended.returncode == 0 or not ended.stderr:
            fault(shown, "prints neither JSON nor a message")
        return None
    wrong = validate(command, ended.stdout, shown)
    if wrong:
        fault(wrong)
        return None
    return json.loads(ended.stdout)


# ---- the schemas themselves ----


def objects(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object" or schema.get("type") == ["object", "null"]:
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


def schemas_check():
    listed = subprocess.run([stepwatch, "--commands"], stdout=subprocess.PIPE, check=True).stdout.decode()
    commands = {line.split("\t")[0] for line in listed.splitlines()}
    if commands != set(schemas):
        fault("commands without schema, or schemas without command:", sorted(commands ^ set(schemas)))
    shared = {}
    for name, schema in schemas.items():
        Draft202012Validator.check_schema(schema)
        for kind in objects(schema):
            if "additionalProperties" not in kind or kind["additionalProperties"] is True:
                fault(name, "has an object that may have any field:", json.dumps(kind)[:200])
        for key, definition in schema.get("$defs", {}).items():
            if shared.setdefault(key, definition) != definition:
                fault(name, "defines", key, "in another way than the other schemas")
        options = subprocess.run([stepwatch, name, "--options"], stdout=subprocess.PIPE, check=True).stdout.decode()
        if "--json\n" not in options:
            fault(name, "has no option --json")
        if "{" in options + schema["title"] or name not in schema["title"]:
            fault(name, "has the title", schema["title"])
    # The evidence of every rule is in the schema of a finding.
    known = set(shared["finding"]["properties"])
    said = set()
    for path in glob.glob(source + "/core/advice/*.c"):
        said |= set(re.findall(r'swi_draft_(?:number|count|text)\(\w+|&said, "([a-z_]+)"', open(path).read())) - {""}
        said |= set(re.findall(r'swi_draft_\w+\(&?said, "([a-z_]+)"', open(path).read()))
    if len(said) < 20 or said - known:
        fault("evidence of the rules that no schema has:", sorted(said - known), "of", len(said))


# ---- logs ----

HOSTILE = [
    '=x",|`<script>alert(1)</script>\x1b[31m\u202e\n\r\a\x7f\'&\\',
    "__proto__",
    "id",
    "NaN",
    "",
    "x" * 5000,
    "\U0001f600\ud7ff\uffff",
    "a\\u0000b",
]


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(text)
    return path


def golden_logs():
    for path in sorted(glob.glob(source + "/tests/golden/advice/*.jsonl.gz")):
        name = os.path.basename(path)[:-3]
        yield write(name, gzip.open(path, "rt").read())
    yield from sorted(glob.glob(source + "/tests/golden/mlflow/*.jsonl") + glob.glob(source + "/tests/golden/ranks/merge/*.jsonl"))


def foreign_logs():
    for path in sorted(glob.glob(source + "/tests/golden/foreign/*.jsonl")):
        text = open(path).read()
        for i, name in enumerate(HOSTILE):
            yield write("%d.%s" % (i, os.path.basename(path)), text.replace("@", json.dumps(name)[1:-1]))


def odd_logs(whole):
    lines = whole.splitlines(keepends=True)
    steps = [i for i, line in enumerate(lines) if '"type":"step"' in line]
    yield write("empty.jsonl", "")
    yield write("head.jsonl", lines[0])
    yield write("one-step.jsonl", "".join(lines[: steps[0] + 1]))
    yield write("torn.jsonl", whole[: len(whole) // 2])
    yield write("no-line.jsonl", lines[0].rstrip("\n")[:-10])
    yield write("not-a-log.jsonl", '{"a": 1}\n')
    yield write("no-batches.jsonl", "".join(re.sub(r',"batch":\d+', "", line) for line in lines))
    yield write("no-samples.jsonl", whole.replace('"samples":64', '"samples":0'))
    yield write("zeros.jsonl", re.sub(r'"(draw|batch)":\d+', r'"\1":0', whole))
    yield write("large.jsonl", re.sub(r'"(draw|batch)":\d+', r'"\1":9223372036854775807', whole))
    yield write("negative.jsonl", re.sub(r'"(draw|batch)":', r'"\1":-', whole))
    yield write("damaged.jsonl", "".join("{nonsense\n" if i % 7 == 5 else line for i, line in enumerate(lines)))
    metrics = ['{"type":"metric","t":1,"step":0,"name":"loss","value":%s}\n' % value for value in ('"NaN"', '"-Infinity"', "1e308", "true", "[]")]
    yield write("metrics.jsonl", lines[0] + "".join(lines[1 : steps[3]]) + "".join(metrics) + "".join(lines[steps[3] :]))
    kinds = [0, -1, 1.5, "x", None, True, [], {}, [1], {"a": 1}]
    reports = "".join('{"type":"report","fit":1,"t":1,"misuse":[%s],"rows":%s,"by":"profiler"}\n' % (json.dumps(kind), json.dumps(kind)) for kind in kinds)
    findings = "".join('{"type":"finding","fit":1,"id":"x","share":%s,"steps":%s,"action":%s,"later":%s,"by":"profiler"}\n' % ((json.dumps(kind),) * 4) for kind in kinds)
    yield write("kinds.jsonl", lines[0].replace('"steps"', '"metrics"') + reports + findings)


def ranks_make(whole):
    """Logs of three ranks: one torn, one with a hostile host, one missing."""
    os.makedirs("ranks", exist_ok=True)
    for rank in 0, 1, 3:
        head, rest = whole.split("\n", 1)
        fields = json.loads(head)
        fields.update(rank=rank, world_size=5, host=HOSTILE[0] if rank == 1 else "box", run="r")
        write("ranks/%d.jsonl" % rank, json.dumps(fields) + "\n" + (rest if rank != 3 else rest[: len(rest) // 2]))
    return "ranks"


# ---- commands ----


def logs_tasks(logs):
    for log in logs:
        yield "report", log
        yield "runs", log
        yield "explain", log
        yield "watch", log, "--once"
        yield "replay", log, "--verify"
    for before, after in zip(logs, logs[1:] + logs[:1]):
        yield "compare", before, after, "--fail-over", "5%"


def merges_tasks(ranks):
    golden = source + "/tests/golden/ranks/merge"
    for folder in ranks, golden:
        for options in [], ["--by", "node"], ["--group-by", "shape"], ["--force"], ["--strict"]:
            yield "merge", folder, *options
    for i in range(len(HOSTILE)):
        for kind in "regions", "results", "steps", "summary":
            for options in [], ["--by", "node"], ["--group-by", "shape"], ["--force"]:
                yield "merge", "%d.%s.0.jsonl" % (i, kind), "%d.%s.1.jsonl" % (i, kind), *options


def others_check(log):
    write("fine.yaml", "profiler: simple\n")
    write("bad.yaml", "profiler: { mode: simpel, rolling_average: 0 }\nlogger_callback: { nosink\x41: 1 }\n")
    write("cycles.yaml", "profiler: { schedule: { wait: 1, warmup: 1, active: 2, repeat: 0 } }\n")
    run("check", "fine.yaml", status=0)
    run("check", "bad.yaml", status=1)
    run("check", "missing.yaml", status=1)
    for kind in "sinks", "monitors":
        for plugin in run(kind, status=0)[kind]:
            run(kind, plugin["name"], status=0)
        run(kind, "no-such-plugin", status=1)
    run("init", "made.yaml", "--sinks", "table,csv", status=0)
    run("init", "made.yaml", status=1)
    run("init", "-", status=2)
    run("schedule", "cycles.yaml", "--steps", "1000000", status=0)
    run("schedule", "cycles.yaml", "--steps", "1", status=0)
    run("schedule", "fine.yaml", "--steps", "10", status=0)
    run("capture", "trigger", status=0)
    run("capture", str(os.getpid()), status=1)
    regions = source + "/tests/golden/foreign/regions.0.jsonl"
    run("export", regions, "-o", "timeline.json", status=0)
    run("export", regions, "--format", "torch", "-o", "traces/", status=0)
    run("export", regions, status=2)
    run("export", log, "-o", "none.json", status=1)
    for command in "report", "explain", "watch", "replay", "compare", "merge", "export":
        run(command, "missing.jsonl", *{"compare": [log], "watch": ["--once"], "export": ["-o", "x"]}.get(command, []))
        run(command, status=2)
    run("sync", "fine.yaml", status=1)
    run("runs", ".", "--ranks", status=0)
    run("runs", ".", "--state", "killed", "--limit", "3", status=0)
    run("runs", "missing", status=1)
    run("runs", "--state", "dead", status=2)
    os.makedirs("rows.db-waiting", exist_ok=True)
    run("sync", "--dry-run", "rows.db", status=0)
    write("silent.yaml", "profiler: { signals: false }\nlogger_callback: [ table, csv: { path: report.csv } ]\n")
    replayed = run("replay", log, "--config", "silent.yaml", status=0)
    if replayed and replayed["verify"] is not None:
        fault("replay says that it verified")


def stream_check(log):
    finished = write("finished.jsonl", open(log).read() + '{"type":"finish","t":9999999999999}\n')
    ended = subprocess.run([stepwatch, "watch", finished, "--json"], stdout=subprocess.PIPE, timeout=100)
    lines = ended.stdout.splitlines()
    if ended.returncode != 0 or len(lines) != 1:
        fault("watch --json of a run that has finished: status", ended.returncode, "and", len(lines), "lines")
    for line in lines:
        wrong = validate("watch", line, "watch --json")
        if wrong:
            fault(wrong)


def programs_check():
    loop = build + "/tests/tools/loop"
    write("run.yaml", "profiler: simple\nlogger_callback: [ table, csv: { path: run.csv } ]\n")
    for status in 0, 7:
        words = ["run", "--config", "run.yaml", "--json", "--", loop, "steps", str(status)]
        shown = run(*words, status=status)
        if shown and (shown["exit_status"] != status or {output["sink"] for output in shown["outputs"]} != {"csv", "table"}):
            fault("run --json says", shown)
    run("run", "--config", "run.yaml", "--json", "--", "./no-such-program", status=127)
    run("run", "--config", "bad.yaml", "--json", "--", loop, "steps", "0", status=125)


def functions_check():
    profile = "import cProfile; cProfile.run('sum(map(abs, range(9)))', 'python.prof')"
    subprocess.run([sys.executable, "-c", profile], check=True, stdout=subprocess.DEVNULL)
    run("functions", "python.prof", status=0)
    run("functions", "python.prof", "--callers", "--restrict", "2", "--full-paths", status=0)
    run("functions", "python.prof", "--callees", "--sort", "none", status=0)
    run("functions", "python.prof", "--out", "files", status=1)
    run("functions", "missing", status=1)
    if not os.path.exists("profile"):
        return
    for options in [], ["--action", "each"], ["--callers"], ["--out", "files", "--format", "prof,folded"]:
        run("functions", "profile", *options, status=0)
    run("functions", "profile", "--action", "never-begun", status=1)


def main():
    schemas_check()
    logs = list(golden_logs())
    whole = open("healthy-1.jsonl").read()
    logs += odd_logs(whole)
    logs += foreign_logs()
    tasks = (list(logs_tasks(logs)) + list(merges_tasks(ranks_make(whole))))[:: int(each)]
    with ThreadPoolExecutor(2) as jobs:
        shown = sum(document is not None for document in jobs.map(lambda task: run(*task), tasks))
    if shown < len(tasks) / 2:
        fault("only", shown, "of", len(tasks), "commands printed JSON")
    others_check("healthy-1.jsonl")
    stream_check("healthy-1.jsonl")
    programs_check()
    functions_check()
    for command in sorted(set(schemas) - validated):
        fault("no document of", command, "was validated: this file has to run it")
    for text in faults[:20]:
        print(text)
    sys.exit(bool(faults))


main()
