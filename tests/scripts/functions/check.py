# SPDX-License-Identifier: MIT
"""check.py counts FILE.prof EXPECTED.json PROGRAM [ACTION] - compares the calls of a profile with those that are known.
check.py pstats STEPWATCH REPORTS.json - compares the text of the command with that of Python's pstats, to the character.
check.py flames PAGE.html EXPECTED.json PROGRAM - whether each action has a flame graph with its functions, without a script.
check.py stacks FOLDER - compares whole.folded, .speedscope.json, .callgrind and .pb.gz with whole.prof."""
import gzip
import io
import json
import marshal
import os
import pstats
import re
import subprocess
import sys
import xml.etree.ElementTree


def shown(function):
    return "{%s}" % function[2][1:-1] if function[0] == "~" else function[2]


def load(path):
    return pstats.Stats(path).stats


def counts(path, expected, program, action=None):
    want = json.load(open(expected))[program]
    if action:
        begun = want["actions"][action]["begun"]
        want = want["actions"][action]
        want["functions"]["{%s}" % action] = begun
    stats = load(path)
    functions = {shown(f): [v[1], v[0]] for f, v in stats.items()}
    edges = {f"{shown(c)} > {shown(f)}": [e[0], e[1]] for f, v in stats.items() for c, e in v[4].items()}
    assert functions == want["functions"], f"{path}: functions {functions}, expected {want['functions']}"
    assert edges == want["edges"], f"{path}: edges {edges}, expected {want['edges']}"
    for f, (cc, nc, tt, ct, callers) in stats.items():
        assert f[0] == "~" or f[1] > 0, f"{path}: {f} has no line"
        assert 0 <= tt <= ct + 2e-6, f"{path}: {f}: own {tt}, with callees {ct}"
        inside = sum(v[4][f][3] for v in stats.values() if f in v[4])
        plain = cc == nc and all(v[0] == v[1] for v in stats.values() if f in v[4])
        assert not plain or abs(tt + inside - ct) < 2e-6, f"{path}: {f}: own {tt}, callees {inside}, together {ct}"


def text_of(stepwatch, file, calls):
    command, full, sort = [stepwatch, "functions"], True, "none"
    for name, args in calls:
        if name == "strip_dirs":
            full = False
        elif name == "sort_stats":
            sort = ",".join(args)
        elif name == "reverse_order":
            command.append("--reverse")
        else:
            command += {"print_stats": [], "print_callers": ["--callers"], "print_callees": ["--callees"]}[name]
            for restriction in args:
                command += ["--restrict", str(restriction)]
    command += ["--sort", sort] + ["--full-paths"] * full + [file]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def pstats_text(stepwatch, reports):
    golden = json.load(open(reports))
    stats = {tuple(s["func"]): (s["cc"], s["nc"], s["tt"], s["ct"],
                                {tuple(c["func"]): (c["nc"], c["cc"], c["tt"], c["ct"]) for c in s["callers"]})
             for s in golden["stats"]}
    for version in (2, 4):
        with open("golden.prof", "wb") as file:
            marshal.dump(stats, file, version)
        for report in golden["reports"]:
            text = text_of(stepwatch, "golden.prof", report["calls"])
            assert text == report["text"], f"{report['calls']}: found\n{text}\nexpected\n{report['text']}"
    patterns_text(stepwatch)


# What Python understands otherwise than POSIX.
PATTERNS = [r"(?:for|back)ward", r"\.py:\d+\(", r"[\w.]+?:\d", r"{", r"{method", r"\{m", r"[\])}]$", r"e{2}", r"o.*?n'?",
            r"[a\-b]u", r"'", r"(?P<end>\w)\)\Z", r"\Dl\.", r"\<", r"[\^a]", r"[\^]", r"[\^\-]", r"[^\^a-z]", r"[\n\tw]o",
            r"\(.{3}\)", r"\(\w+\)", r"[^a-z_(]\w+\)$"]

# What is not supported, and so is refused.
REFUSED = [r"[\D]", r"[a\S]", r"\x41"]


# What is left of a profile has no edges, or is not sorted.
CALLS = [[("strip_dirs", []), ("sort_stats", ["name"]), ("print_callers", ["main"])],
         [("strip_dirs", []), ("sort_stats", ["name"]), ("print_callees", ["{"])],
         [("reverse_order", []), ("print_stats", [])]]


def python_text(path, calls):
    out = io.StringIO()
    stats = pstats.Stats(path, stream=out)
    for name, args in calls:
        getattr(stats, name)(*args)
    text = out.getvalue()
    return text.split("\n", 2)[2] if calls[-1][0] == "print_stats" else text


def patterns_text(stepwatch):
    stripped = [("strip_dirs", []), ("sort_stats", ["cumulative"])]
    for calls in CALLS + [stripped + [("print_stats", [pattern])] for pattern in PATTERNS]:
        found, want = text_of(stepwatch, "golden.prof", calls), python_text("golden.prof", calls)
        assert found == want, f"{calls}: found\n{found}\nexpected\n{want}"
    for pattern in REFUSED:
        command = [stepwatch, "functions", "--restrict", pattern, "golden.prof"]
        said = subprocess.run(command, capture_output=True, text=True)
        assert said.returncode and "or a regular expression" in said.stderr, f"{pattern}: {said}"


def bare(function):
    return function[2][1:-1] if function[0] == "~" and function[2][0] == "<" else function[2]


def own(stacks):
    times = {}
    for names, ns in stacks:
        times[names[-1]] = times.get(names[-1], 0) + ns
    return times


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def pprof(path):
    top = list(fields(gzip.open(path).read()))
    texts = [v.decode() for f, v in top if f == 6]
    names = {d[1]: texts[d[2]] for d in (dict(fields(v)) for f, v in top if f == 5)}
    for f, v in top:
        if f == 2:
            sample = dict(fields(v))
            yield [names[i] for i in packed(sample[1])][::-1], packed(sample[2])[1]


def stacks(folder):
    whole = os.path.join(folder, "whole")
    want = {}
    for f, v in load(whole + ".prof").items():
        want[bare(f)] = want.get(bare(f), 0) + v[2] * 1e9
    scope = json.load(open(whole + ".speedscope.json"))
    frames = [f["name"] for f in scope["shared"]["frames"]]
    profile = scope["profiles"][0]
    found = {
        "speedscope": own(([frames[i] for i in s], w) for s, w in zip(profile["samples"], profile["weights"])),
        "folded": own((line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in open(whole + ".folded")),
        "pprof": own(pprof(whole + ".pb.gz")),
    }
    assert profile["endValue"] == sum(profile["weights"])
    for kind, times in found.items():
        for name, ns in want.items():
            name = name.replace(" ", "_") if kind == "folded" else name
            assert abs(times.get(name, 0) - ns) <= 1000 + 1e-3 * ns, f"{kind}: {name}: {times.get(name)}, expected {ns}"
    lines = open(whole + ".callgrind").read().split("\n")
    summary = [int(line.split()[1]) for line in lines if line.startswith("summary:")][0]
    assert lines[0] == "# callgrind format" and abs(summary - sum(want.values())) <= 1000, f"callgrind: {summary}"


def flames(path, expected, program):
    page = open(path).read()
    assert "<script" not in page and "http-equiv" in page, f"{path}: a page without scripts says so"
    graphs = {}
    for svg in re.findall(r"<svg[^>]*aria-label=\"flame graph of .*?</svg>", page, re.S):
        root = xml.etree.ElementTree.fromstring(svg)
        width, height = map(float, root.get("viewBox").split()[2:])
        frames = []
        for group in root.iter("g"):
            rect = group.find("rect")
            at, y, wide = (float(rect.get(key)) for key in ("x", "y", "width"))
            assert 0 <= at and at + wide <= width + 0.1 and y + float(rect.get("height")) <= height, f"{path}: a frame is outside"
            frames.append((group.find("title").text.split("\n"), y))
        assert 0 < len(frames) <= 2000, f"{path}: {len(frames)} frames"
        graphs[root.get("aria-label")[len("flame graph of "):]] = frames
    for action, want in json.load(open(expected))[program]["actions"].items():
        if action not in graphs and not want["functions"]:
            continue
        shown = {lines[0] for lines, _ in graphs[action]}
        assert graphs[action][0][0][0] == action, f"{path}: {action}: the root is {graphs[action][0]}"
        assert shown <= set(want["functions"]) | {action}, f"{path}: {action}: {shown}, expected {want['functions']}"
        assert len(shown) > 1, f"{path}: {action} has no functions"
    lines = [lines for frames in graphs.values() for lines, _ in frames]
    assert any(re.fullmatch(r".*regions\.c:[0-9]+", text[1]) for text in lines), f"{path}: no file and line"
    assert all(re.fullmatch(r"[0-9]+ calls, own .*, total .*", text[-1]) for text in lines), f"{path}: {lines}"
    assert page.count("<th>Own</th>") == len(graphs), f"{path}: each graph has a table"


if __name__ == "__main__":
    {"counts": counts, "pstats": pstats_text, "stacks": stacks, "flames": flames}[sys.argv[1]](*sys.argv[2:])
