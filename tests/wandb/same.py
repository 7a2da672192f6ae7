# SPDX-License-Identifier: MIT
"""same.py BUILD: a run is the same at the service, however it got there.

The same program runs offline and is uploaded by the real `wandb sync`; runs offline and is uploaded by
`stepwatch sync`; and uploads while it runs. What the service has then is compared, and read back by wandb.Api().
Every record of the file is read by the messages that wandb itself is made of."""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import BUILD, WANDB, Run, access, environment, equal, loop, run_of
from service import Service

STEPWATCH = os.path.join(BUILD, "tools", "stepwatch")


def upload(command):
    """An offline run, uploaded by a command."""
    def arrive(service, folder):
        equal(loop(folder, "40", "0", WANDB_RUN_ID="same", WANDB_MODE="offline"), 0, "exit status of the loop")
        done = subprocess.run([*command, str(run_of(folder))], cwd=folder, timeout=120, check=False, text=True,
                              capture_output=True, env=environment(folder, **access(service)))
        if done.returncode:
            sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return arrive


def online(service, folder):
    equal(loop(folder, "40", "0", WANDB_RUN_ID="same", WANDB_MODE="online", **access(service)), 0,
          "exit status of the loop")


def arrived(way, check=None):
    """What the service has of a run that came this way."""
    with Service() as service, tempfile.TemporaryDirectory(prefix="stepwatch-same-") as folder:
        way(service, folder)
        run = Run(service)
        equal(run.unknown, [], "operations that the service does not know")
        if check:
            check(service, folder)
        return run


# ---- what is compared: all but the time of day, and who the writer was

def plain(value):
    """1.0 is 1, and what only differs behind the sixth place does not."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if not isinstance(value, float) or value - value != 0:
        return value
    return int(value) if value == int(value) else round(value, 6)


def row(found):
    """As text: NaN is not equal to itself."""
    found = {name: value for name, value in found.items() if name != "_timestamp"}
    return re.sub("wandb-client-artifact://[a-z0-9]+", "ARTIFACT", json.dumps(plain(found), sort_keys=True))


def config(run):
    return {name: value for name, value in run.config.items() if name != "_wandb"}


def metrics(run):
    return run.config["_wandb"]["value"]["m"]


def lines(text):
    """What stepwatch itself costs is measured anew at each start."""
    return re.sub("stepwatch itself: .*", "stepwatch itself", text)


def console(run):
    return [lines(json.loads(text)["content"] if text.startswith("{") else text.split(" ", 1)[1])
            for text in run.kept["lines"].get("output.log", [])]


def output(run):
    content = run.files["output.log"]
    return lines(content if isinstance(content, str) else content.decode())


def about(run):
    names = ("displayName", "tags", "notes", "groupName", "jobType", "project", "state", "exitcode")
    return {name: run.kept.get(name) for name in names}


def tables(run):
    return {name: json.loads(content) for name, content in run.files.items() if name.startswith("media/")}


def artifacts(run):
    """Each by its collection: whether it is whole, its hash, and its files."""
    return {one["input"]["artifactCollectionName"]: (one["state"], one["digest"], one["files"], one.get("wrong"))
            for one in run.artifacts.values()}


def comparable(run):
    return {"rows": [row(one) for one in run.rows("wandb-history.jsonl")],
            "summary": row(run.rows("wandb-summary.json")[-1]), "config": config(run),
            "metric definitions": metrics(run), "console": console(run), "about": about(run),
            "files": sorted(run.files), "tables": tables(run), "artifacts": artifacts(run), "output.log": output(run),
            "summary file": sorted(json.loads(run.files["wandb-summary.json"]))}


def compare(found, expected, how):
    found, expected = comparable(found), comparable(expected)
    for one, other in zip(found["rows"], expected["rows"]):
        equal(one, other, f"row of a run that came {how}")
    for what, value in expected.items():
        equal(found[what], value, f"{what} of a run that came {how}")


# ---- read back

def read_back(service, folder):
    os.environ.update(environment(folder, **access(service)))
    import wandb

    run = wandb.Api().run("fake-entity/loops/same")
    equal(run.state, "finished", "state by wandb.Api()")
    equal(run.config["lr"], 0.5, "config by wandb.Api()")
    equal(run.summary["train/loss"], 1 / 40, "summary by wandb.Api()")
    equal(run.tags, ["a", "b c"], "tags by wandb.Api()")
    rows = list(run.scan_history())
    equal([one["_step"] for one in rows], list(range(len(rows))), "steps by wandb.Api()")
    losses = [one["train/loss"] for one in run.scan_history(keys=["train/loss"])]
    equal(losses, [1 / (k + 1) for k in range(40)], "losses by wandb.Api()")
    with run.file("wandb-metadata.json").download(root=os.path.join(folder, "down")) as file:
        equal("host" in json.load(file), True, "wandb-metadata.json by wandb.Api()")


# ---- the file

def records(path):
    """The bytes of each record of a .wandb file."""
    with open(path, "rb") as file:
        data = file.read()
    equal(data[:7], b":W&B\xe1\xbe\x00", "header of the file")
    at, record = 7, b""
    while at < len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        checksum, size, kind = struct.unpack("<IHB", data[at:at + 7])
        equal(zlib.crc32(data[at + 6:at + 7 + size]), checksum, f"checksum at {at}")
        record = (b"" if kind in (1, 2) else record) + data[at + 7:at + 7 + size]
        at += 7 + size
        if kind in (1, 4):
            yield record


def unknown_fields(message):
    """Names of messages that hold what wandb's own do not know."""
    from google.protobuf import unknown_fields as unknown

    if len(unknown.UnknownFieldSet(message)):
        yield message.DESCRIPTOR.name
    for field, value in message.ListFields():
        if field.message_type and not field.message_type.GetOptions().map_entry:
            for one in [value] if hasattr(value, "DESCRIPTOR") else value:
                yield from unknown_fields(one)


def read_records(service, folder):
    from wandb.proto import wandb_internal_pb2

    count = 0
    for text in records(next(run_of(folder).glob("run-*.wandb"))):
        record = wandb_internal_pb2.Record.FromString(text)
        count += 1
        equal(record.num, count, "number of a record")
        equal(list(unknown_fields(record)), [], f"fields of record {count} that wandb does not know")
    equal(count > 40, True, "so many records")


def main():
    expected = arrived(upload([WANDB, "sync"]), read_records)
    compare(arrived(upload([STEPWATCH, "sync"])), expected, "by stepwatch sync")
    compare(arrived(online, read_back), expected, "while the program ran")
    print("a run is the same by wandb sync, by stepwatch sync and online, and wandb.Api() reads it")


main()
