# SPDX-License-Identifier: MIT
"""Programs that close all descriptors and open files of their own, once for each sink that keeps one: those files stay as they are."""
import glob, os, random, shutil, urllib.request

import databases, faults, mlflow_rows, scrapes, timeline_disks, wandb_rows
from faults import row

STEPS, RATE = 400, 2000


def run(sink, **surroundings):
    """(status, what was said, what is wrong)."""
    faults.empty_folder()
    os.mkdir("mine")
    faults.write_config([sink])
    status, _, said = faults.run_loop("steps=%d" % STEPS, "rate=%d" % RATE, "closes=%d" % random.randrange(100, 300), env=surroundings)
    wrong = ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    return said, wrong + timeline_disks.mine_are_whole()


def complete(count):
    return [] if count == STEPS else ["%d of %d steps" % (count, STEPS)]


def database(layout, sink):
    said, wrong = run(sink, TRACKIO_DIR=os.getcwd())
    found = databases.losses("own.db" if layout == "stepwatch" else "p.db", layout, wrong)
    return said, wrong + complete(len(found))


def wandb_offline():
    with wandb_rows.stand_in() as server:
        said, wrong = run("wandb: { mode: offline, run_id: r0, project: ends }", **wandb_rows.account(server))
        said += wandb_rows.upload(faults.COMMAND, ["."], server)
        return said, wrong + complete(wandb_rows.rows_of(wandb_rows.run_at(server, 0), wrong))


def wandb_online():
    with wandb_rows.stand_in() as server:
        said, wrong = run("wandb: { mode: online, run_id: r0, project: ends, interval: 1s }", **wandb_rows.account(server))
        return said, wrong + complete(wandb_rows.rows_of(wandb_rows.run_at(server, 0), wrong))


def mlflow(mode):
    with mlflow_rows.Server() as server:
        said, wrong = run("mlflow: { mode: %s, system: false, dir: ., interval: 1s }" % mode, **mlflow_rows.at(server))
        if mode == "offline":
            mlflow_rows.sync(server)
        found = mlflow_rows.run_of(server, mlflow_rows.folder_of(), wrong)
        return said, wrong + complete(mlflow_rows.values_of(found, wrong))


def tensorboard():
    said, wrong = run("tensorboard: { logdir: tb }")
    (path,) = glob.glob("**/*tfevents*", recursive=True)
    with open(path, "rb") as file:
        return said, wrong + ([] if file.read().count(b"train/loss") >= STEPS else ["values are missing"])


def page():
    """It is there before and after, and at the end of the run it is gone at once."""
    faults.empty_folder()
    os.mkdir("mine")
    scrapes.configure('listen: "127.0.0.1:0"')
    process = faults.loop("steps=%d" % STEPS, "rate=%d" % RATE, "closes=200", "pause=300")
    port = scrapes.port_of(process)
    while process.stdout.readline() not in (b"paused\n", b""):
        pass
    with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=30) as answer:
        wrong = [] if b"stepwatch_" in answer.read() else ["the page is empty"]
    status, out, said = faults.end_of(process, b"\n")
    wrong += ["ended with %s" % faults.signal_name(status)] if status or faults.sanitized(said) else []
    wrong += ["the end took %d ns" % faults.nanoseconds("closed", out)] if faults.nanoseconds("closed", out) > 4e9 else []
    return said, wrong + timeline_disks.mine_are_whole()


CASES = [
    ("sqlite", lambda: database("stepwatch", "sqlite: { database: own.db }")),
    ("sqlite", lambda: database("trackio", "sqlite: { layout: trackio, project: p }")),
    ("wandb", wandb_offline), ("wandb", wandb_online),
    ("mlflow", lambda: mlflow("offline")), ("mlflow", lambda: mlflow("online")),
    ("tensorboard", tensorboard), ("prometheus", page),
]


@row(25, short=len(CASES), full=10 * len(CASES))
def closed_sinks(trials):
    """The program closes all descriptors and opens its own files: no sink writes to those, and what the run logged is complete."""
    if "thread" in faults.SANITIZER:
        raise faults.Skip("for the thread sanitizer, closing a descriptor that a thread uses is a race")
    passed = 0
    for trial in range(trials):
        name, treat = CASES[trial % len(CASES)]
        faults.require_sinks(name)
        said, wrong = treat()
        passed += faults.tell("closed_sinks: case %d, %s" % (trial % len(CASES), name), wrong, said)
    return trials, passed, "files of the program that were written to or closed: 0; steps lost: 0"
