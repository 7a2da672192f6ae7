# SPDX-License-Identifier: MIT
"""values.py BUILD: values of each kind, uploaded by the real `wandb sync`, by `stepwatch sync`, while the program runs
and by the replay of a run log, are the same at the service; wandb.Api() reads them back, and the pixels of images are
those of the program."""
import hashlib
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import BUILD, WANDB, Run, access, environment, equal, uploads
from service import Service

PROGRAM = os.path.join(BUILD, "tests", "wandb", "wandb-values")
STEPWATCH = os.path.join(BUILD, "tools", "stepwatch")
YAML = """profiler: {{show_report: false}}
logger_callback:
  - wandb: {{mode: {}, run_id: vals, project: values, system: false}}
"""


def run(service, folder, mode):
    done = subprocess.run([PROGRAM, YAML.format(mode)], cwd=folder, timeout=120, check=False, capture_output=True,
                          text=True, env=environment(folder, **access(service)))
    equal(done.returncode, 0, f"exit status: {done.stderr}")


def online(service, folder):
    run(service, folder, "online")


def by_replay(service, folder):
    """The program writes only a run log, and the replay of that uploads."""
    recorded = "profiler: {show_report: false}\nlogger_callback:\n  - runlog: {path: run.jsonl}\n"
    environ = environment(folder, **access(service))
    subprocess.run([PROGRAM, recorded], cwd=folder, timeout=120, check=True, capture_output=True, env=environ)
    with open(os.path.join(folder, "again.yaml"), "w", encoding="utf-8") as file:
        file.write(YAML.format("online"))
    done = subprocess.run([STEPWATCH, "replay", "run.jsonl", "--config", "again.yaml"], cwd=folder, timeout=120,
                          check=False, capture_output=True, text=True, env=environ)
    equal(done.returncode, 0, f"replay: {done.stdout}{done.stderr}")


# ---- what the program logged

def rgb(x, y):
    return [x * 32, y * 32, (x + y) * 16]


def grey(x, y):
    return [(x + 8 * y) * 4]


def rgba(x, y):
    return rgb(x, y) + [255 - grey(x, y)[0]]


def picture(pixel):
    return bytes(value for y in range(8) for x in range(8) for value in pixel(x, y))


def pixels(png):
    """Of a PNG file with 8 bits a channel, whose rows are plain or the difference to the pixel before."""
    equal(png[:8], b"\x89PNG\r\n\x1a\n", "begin of the file")
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        equal(zlib.crc32(kind + body), struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0], "checksum of a chunk")
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", body[:10])
        data += body if kind == b"IDAT" else b""
        at += 12 + size
    channels = {0: 1, 2: 3, 6: 4}[colour]
    equal(bits, 8, "bits")
    rows, stride = zlib.decompress(data), 1 + width * channels
    found = b""
    for y in range(height):
        row = bytearray(rows[y * stride + 1:(y + 1) * stride])
        if rows[y * stride] == 1:
            for i in range(channels, len(row)):
                row[i] = (row[i] + row[i - channels]) & 255
        found += bytes(row)
    return found


# ---- what is at the service

def image(run, path, sha256, expected):
    content = run.files[path]
    if sha256:
        equal(hashlib.sha256(content).hexdigest(), sha256, f"hash of {path}")
    equal(path.rsplit("_", 1)[1], hashlib.sha256(content).hexdigest()[:20] + ".png", path)
    equal(pixels(content), picture(expected), f"pixels of {path}")


def the_images(run, row):
    one = row["img/rgb"]
    equal(sorted(one), ["_type", "caption", "format", "height", "path", "sha256", "size", "width"], "members")
    equal([one["_type"], one["caption"], one["format"], one["width"], one["height"], one["size"]],
          ["image-file", "one", "png", 8, 8, len(run.files[one["path"]])], "an image")
    image(run, one["path"], one["sha256"], rgb)
    equal(one["path"].startswith("media/images/img/rgb_0_"), True, one["path"])
    side = row["up/../side é"]
    equal("caption" in side, False, "a caption that was not given")
    image(run, side["path"], side["sha256"], grey)
    batch = row["batch"]
    equal([batch["_type"], batch["count"], batch["width"], batch["captions"]],
          ["images/separated", 4, 8, ['a "b" ä', None, "wide", None]], "several images")
    for path, expected in zip(batch["filenames"], (rgb, grey, rgb, rgba)):
        image(run, path, None, expected)


def the_tables(run, row):
    plain = row["tab/plain"]
    equal(json.loads(run.files[plain["path"]]),
          {"columns": ["n", "name", "ok", "f"], "data": [[1, "one", True, 0.5], [2, None, False, None]]}, "table")
    equal([plain["_type"], plain["ncols"], plain["nrows"]], ["table-file", 4, 2], "a table")
    empty = row["tab/empty"]
    equal(json.loads(run.files[empty["path"]]), {"columns": ["n"], "data": []}, "empty table")
    artifacts = {one["input"]["artifactCollectionName"]: one for one in run.artifacts.values()}
    artifacts = {name: one for name, one in artifacts.items() if "profile_" not in name and "step_time" not in name}
    equal(sorted(artifacts), ["run-vals-tabempty-" + suffix("run-vals-tab/empty"),
                              "run-vals-tabplain-" + suffix("run-vals-tab/plain"), "weights"], "artifacts")
    equal([one["state"] for one in artifacts.values()], ["COMMITTED"] * 3, "states")
    equal([one.get("wrong") for one in artifacts.values()], [None] * 3, "hashes")
    whole = json.loads(artifacts["run-vals-tabplain-" + suffix("run-vals-tab/plain")]["files"]["tab/plain.table.json"])
    types = {name: column["params"]["allowed_types"][1]["wb_type"]
             for name, column in whole["column_types"]["params"]["type_map"].items()}
    equal(types, {"n": "number", "name": "string", "ok": "boolean", "f": "number"}, "types of the columns")
    model = artifacts["weights"]
    equal([model["input"]["artifactTypeName"], model["input"]["description"]], ["model", "after step 3"], "artifact")
    equal([alias["alias"] for alias in model["input"]["aliases"]], ["latest", "best"], "aliases")


def suffix(name):
    import base64
    return base64.urlsafe_b64encode(zlib.crc32(name.encode()).to_bytes(4, "big")).decode().rstrip("=")


def the_histograms(row):
    equal(row["hist/bins"], {"_type": "histogram", "values": [250, 250, 500], "bins": [0, 0.25, 0.5, 1]}, "bins")
    values = row["hist/values"]
    equal([len(values["values"]), sum(values["values"]), values["bins"][0], values["bins"][64]], [64, 1000, 0, 1],
          "histogram")
    equal(abs(row["hist/values/mean"] - 0.5) < 1e-9, True, "mean")


def the_texts(run, row):
    equal(row["note"], "text\nsecond line", "text")
    equal(len(row["longer"].encode()), 65536, "bytes of a text that was cut")
    (whole,) = [name for name in run.files if name.startswith("media/text/longer_0_")]
    equal(run.files[whole], b"x" * 100000, "the whole text")


def the_summary(summary):
    equal(summary["acc"], {"max": 0.6, "last": 0.4}, "summary of acc")
    equal(summary["loss"], {"min": 1, "mean": 2, "first": 3}, "summary of loss")
    equal("quiet" in summary, False, "summary of what is not kept")
    equal(summary["late"], {"max": 2}, "summary of a rule that came late")
    equal([summary["best"], summary["test/a"], summary["verdict"]], [0.6, -1, "good"], "sw_summary()")
    equal(summary["note"], "text\nsecond line", "text in the summary")


def the_rules(run):
    rules = run.config["_wandb"]["value"]["m"]
    by_name = {rule.get("1", rule.get("2")): {**rule, "6": sorted(rule["6"])} for rule in rules}
    axis = rules.index([rule for rule in rules if rule.get("1") == "t"][0]) + 1
    equal(by_name["acc"], {"1": "acc", "6": [3], "7": [2, 5], "8": 2}, "rule of acc")
    equal(by_name["loss"], {"1": "loss", "5": axis, "6": [1, 3], "7": [1, 3, 8]}, "rule of loss")
    equal(by_name["quiet"], {"1": "quiet", "6": [2, 3], "7": [6]}, "rule of quiet")
    equal(by_name["test/*"], {"2": "test/*", "5": axis, "6": [1], "7": []}, "rule of a pattern")
    equal(by_name["t"], {"1": "t", "6": [], "7": []}, "an axis without a rule")


def the_rest(run, rows):
    equal([row["t"] for row in rows if "test/a" in row], [0, 0.5, 0.5], "the axis is in each row")
    equal(run.files["model.bin"], bytes(i & 255 for i in range(512)), "file of the run")
    (alert,) = run.kept["alerts"]
    equal([alert["title"], alert["text"], alert["severity"]], ["diverged", "loss is nan", "WARN"], "alert")
    said = [json.loads(text) if text.startswith("{") else text for text in run.kept["lines"]["output.log"]]
    equal([(line["content"], line.get("level")) for line in said[:3]],
          [("first", None), ("second", None), ("a mistake", "error")], "lines")
    equal(run.files["output.log"][:23], b"first\nsecond\na mistake\n", "output.log")


def check(run):
    rows = run.rows("wandb-history.jsonl")
    the_images(run, rows[0])
    the_tables(run, rows[0])
    the_histograms(rows[0])
    the_texts(run, rows[0])
    the_summary(run.rows("wandb-summary.json")[-1])
    the_rules(run)
    the_rest(run, rows)
    equal(run.unknown, [], "operations that the service does not know")
    equal(run.finished, 0, "exit code")


# ---- read back

def read_back(service, folder):
    os.environ.update(environment(folder, **access(service)))
    import wandb

    run = wandb.Api().run("fake-entity/values/vals")
    row = next(run.scan_history())
    down = os.path.join(folder, "down")
    for path, expected in [(row["img/rgb"]["path"], rgb), *zip(row["batch"]["filenames"], (rgb, grey, rgb, rgba))]:
        run.file(path).download(root=down, replace=True)
        with open(os.path.join(down, path), "rb") as file:
            equal(pixels(file.read()), picture(expected), f"{path} by wandb.Api()")
    equal(run.summary["acc"]["max"], 0.6, "summary by wandb.Api()")
    equal(math.isclose(run.summary["best"], 0.6), True, "sw_summary() by wandb.Api()")


def main():
    for how, upload in (("wandb sync", uploads(run, WANDB, "sync")), ("stepwatch sync", uploads(run, STEPWATCH, "sync")),
                        ("online", online), ("replay", by_replay)):
        with Service() as service, tempfile.TemporaryDirectory(prefix="stepwatch-values-") as folder:
            upload(service, folder)
            try:
                check(Run(service))
                read_back(service, folder)
            except SystemExit as wrong:
                sys.exit(f"{how}: {wrong}")
    print("values of each kind are the same by wandb sync, by stepwatch sync, online and by a replay, and wandb.Api() reads them")


main()
