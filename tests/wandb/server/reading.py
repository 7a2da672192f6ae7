# SPDX-License-Identifier: MIT
"""What wandb.Api() reads of a run: rows, samples of them, files, console lines."""
import base64
import collections
import fnmatch
import hashlib
import json
import operator
import urllib.parse

import store as kept


def flat(row, prefix=""):
    """Nested values by the names that they are asked by: a.b."""
    for name, value in row.items():
        if isinstance(value, dict) and "_type" not in value:
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def kind(value):
    if isinstance(value, dict):
        return value["_type"]
    return {bool: "bool", int: "number", float: "number", str: "string", list: "list",
            type(None): "nil"}[type(value)]


def plain(value):
    return value if value == value and value not in (float("inf"), float("-inf")) else \
        {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}[str(value)]


def history_keys(rows):
    values = collections.defaultdict(list)
    for row in rows:
        for name, value in flat(row):
            values[name].append(value)

    def entry(found):
        counts = collections.Counter(map(kind, found))
        answer = {"typeCounts": [{"type": name, "count": n} for name, n in counts.items()],
                  "monotonic": kind(found[0]) == "number" and all(map(operator.lt, found, found[1:]))}
        if kind(found[-1]) == "number":
            answer["previousValue"] = plain(found[-1])
        return answer

    return {"sets": [], "keys": {name: entry(found) for name, found in values.items()},
            "lastStep": rows[-1]["_step"] if rows else -1}


def sampled(rows, spec):
    """The rows that have all of the keys, with those alone."""
    spec = json.loads(spec)
    low, high = spec.get("minStep", 0), spec.get("maxStep", float("inf"))
    found = []
    for row in rows:
        values = dict(flat(row))
        keys = spec.get("keys") or list(values)
        if low <= row["_step"] <= high and all(key in values for key in keys):
            found.append({key: plain(values[key]) for key in keys})
    return found[:spec.get("samples", 500)]


def texts(run, name):
    """Of a file of the stream, as a field that is called."""
    def field(samples=None, minStep=0, maxStep=float("inf")):
        def within(text):
            return minStep <= json.loads(text).get("_step", 0) < maxStep
        found = run.text(name)
        return [text for text in found if name == kept.EVENTS or within(text)][:samples]
    return field


def connection(nodes, first=1):
    edges = [{"node": node, "cursor": str(n)} for n, node in enumerate(nodes, first)]
    return {"edges": edges, "pageInfo": {"hasNextPage": False,
                                         "endCursor": edges[-1]["cursor"] if edges else None}}


def files_of(run, address, store):
    def node(name, content):
        path = "/".join(urllib.parse.quote(part) for part in (run.entity, run.project, run.name, name))
        base = address("").rsplit("/storage/", 1)[0]
        token = store.place(run.id, name)
        store.blobs[token] = content
        return {"id": kept.identifier("File", run.entity, run.project, run.name, name), "name": name,
                "url": f"{base}/files/{path}", "directUrl": address(token), "sizeBytes": len(content),
                "mimetype": "", "updatedAt": kept.stamp(run.created),
                "md5": base64.b64encode(hashlib.md5(content).digest()).decode()}

    def field(names=(), after=None, first=50, pattern=None, upload=False):
        found = sorted(run.files) if after is None else []
        if names:
            found = [name for name in found if name in names]
        if pattern:
            found = [name for name in found if fnmatch.fnmatch(name, pattern.replace("%", "*"))]
        return connection([node(name, run.files[name]) for name in found])
    return field


def console_line(number, text):
    if text.startswith("{"):
        line = json.loads(text)
        return {"number": number, "timestamp": line["ts"], "level": line.get("level"),
                "label": line.get("label"), "line": line["content"]}
    time, _, rest = text.partition(" ")
    level = "error" if rest.startswith("ERROR ") else None
    return {"number": number, "timestamp": time, "level": level, "label": None,
            "line": rest.removeprefix("ERROR ")}


def console(run):
    return [console_line(n, text) for n, text in sorted(run.lines.get(kept.OUTPUT, {}).items())]


def reading(run, address, store):
    """The fields of a run that only readers ask for; each is made when it is asked for."""
    return {"history": texts(run, kept.HISTORY), "events": texts(run, kept.EVENTS),
            "historyKeys": lambda: history_keys(run.rows()), "fileCount": len(run.files),
            "sampledHistory": lambda specs: [sampled(run.rows(), spec) for spec in specs],
            "parquetHistory": lambda liveKeys: {"parquetUrls": [], "liveData": [{"_step": 0}]},
            "files": files_of(run, address, store),
            "logLines": lambda first=1000, after=None, useImprovedPagination=None:
                connection(console(run) if after is None else [], 0)}
