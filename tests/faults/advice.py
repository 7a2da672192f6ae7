# SPDX-License-Identifier: MIT
"""How often `stepwatch explain` finds something in healthy runs, and how often it finds what is there."""
import json, math, os, random, subprocess

import faults
from faults import row

PARTS = {"forward": 0.32, "loss": 0.03, "backward": 0.50, "opt_step": 0.09, "zero_grad": 0.01}  # of a batch; the rest is unnamed
MOST_ALARMS = 0.003


class Run:
    """A healthy loop: its noise, its machine and its size are drawn at random."""

    def __init__(self):
        self.n = int(math.exp(random.uniform(math.log(64), math.log(1000))))
        self.step = math.exp(random.uniform(math.log(1e6), math.log(3e8)))
        self.noise = random.choice([0.01, 0.03, 0.08, 0.15])
        self.wander, self.keep = random.choice([0, 0.01, 0.03]), random.uniform(0.5, 0.95)
        self.draw = random.choice([0.001, 0.01, 0.03])
        self.epochs = random.randint(1, max(1, min(8, self.n // 20)))
        self.batch = random.choice([8, 64, 256])
        self.busy = set()
        if random.random() < 0.4:  # another program, for some steps
            first = random.randrange(self.n)
            self.busy = set(range(first, first + random.randint(3, 20)))
        self.single = {i for i in range(1, self.n) if random.random() < random.choice([0, 0, 0.004])}
        self.change = {}  # of what a cause does to a step: index -> (part, steps longer)

    def level(self, i):
        return 1.25 if i in self.busy else 1.0

    def slower(self, i):
        return 1.0

    def durations(self, i, wandering):
        whole = self.step * (1 - self.draw) * self.level(i) * self.slower(i) * math.exp(wandering)
        d = {name: whole * part * math.exp(random.gauss(0, self.noise)) for name, part in PARTS.items()}
        rest = whole * 0.05 * math.exp(random.gauss(0, self.noise))
        draw = self.step * self.draw * math.exp(random.gauss(0, 0.3))
        if i == 0:
            d["forward"] += min(20 * self.step, 0.02 * self.n * self.step + self.step, 0.9e9)
        if i in self.single:
            name = random.choice(list(d))
            d[name] += whole * random.uniform(0.5, 2)
        part, longer = self.change.get(i, ("", 0))
        if part == "draw":
            draw += longer * self.step
        elif part:
            d[part] += longer * self.step
        else:
            rest += longer * self.step
        return int(draw), {name: int(ns) for name, ns in d.items()}, int(rest)

    def write(self, path):
        t, wandering, per = 0, 0.0, self.n // self.epochs
        with open(path, "w") as out:
            def put(**line):
                out.write(json.dumps(line) + "\n")
            put(type="run", version=1, started=0.0, name="run", program="run", host="box", pid=1, mode="simple",
                drop_first_batch=True, detail="steps")
            put(type="begin", t=0, action="fit")
            for i in range(self.n):
                first = i % per == 0 and i // per < self.epochs
                if first and i:
                    put(type="end", t=t, action="train")
                    put(type="end", t=t, action="epoch")
                if first:
                    put(type="begin", t=t, action="epoch")
                    put(type="begin", t=t, action="train")
                wandering = self.keep * wandering + math.sqrt(1 - self.keep ** 2) * random.gauss(0, self.wander)
                draw, d, rest = self.durations(i, wandering)
                batch = sum(d.values()) + rest
                t += draw + batch
                put(type="step", t=t, step=i, phase="train", samples=self.batch, durations={"draw": draw, **d, "batch": batch})
            put(type="end", t=t, action="train")
            put(type="end", t=t, action="epoch")
            put(type="end", t=t, action="fit")
            put(type="finish", t=t, exit_status=0, signal=0, interrupted=False)


def waiting():
    run = Run()
    run.draw = 0.35
    return run


def bursts():
    run = Run()
    run.n = max(run.n, 200)
    every = random.randint(3, 12)
    run.change = {i: ("draw", 0.3 * every) for i in range(every - 1, run.n, every)}
    return run


def checkpoints():
    run = Run()
    run.n = max(run.n, 300)
    every = random.randint(10, 40)
    run.change = {i: ("", 0.2 * every) for i in range(every - 1, run.n, every)}
    return run


def tail():
    run = Run()
    run.n, run.noise = max(run.n, 300), 0.03
    run.change = {i: ("backward", random.uniform(6, 9)) for i in random.sample(range(5, run.n), run.n // 40)}
    return run


def rising():
    run = Run()
    run.n, run.noise = max(run.n, 400), 0.03
    run.slower = lambda i: 1 + 0.6 * i / run.n
    return run


def jump():
    run = Run()
    run.n, run.noise, run.wander = max(run.n, 400), 0.03, 0.01
    at = int(run.n * random.uniform(0.35, 0.65))
    run.slower = lambda i: 1.5 if i >= at else 1.0
    return run


CAUSES = {"input-bound": waiting, "loader-bursts": bursts, "periodic": checkpoints, "slow-tail": tail, "drift": rising, "shift": jump}
HITS_LEAST = 0.8


def explain(paths):
    """The ids of the findings of each log."""
    done = subprocess.run([faults.COMMAND, "explain", "--json"] + paths, env=faults.environment(), stdout=subprocess.PIPE, check=True)
    return [[finding["id"] for fit in run["fits"] for finding in fit["findings"]] for run in json.loads(done.stdout)["runs"]]


def judge(runs):
    found = []
    for first in range(0, len(runs), 50):
        paths = []
        for i, run in enumerate(runs[first:first + 50]):
            paths.append("%d.jsonl" % i)
            run.write(paths[-1])
        found += explain(paths)
    return found


@row(32, short=24, full=2000)
def healthy_runs(trials):
    """Healthy runs have no finding: at most 0.3 % do, of few trials at most one."""
    if not os.path.exists(faults.COMMAND):
        raise faults.Skip("there is no command")
    found = judge([Run() for _ in range(trials)])
    alarms = [ids for ids in found if ids]
    fine = len(alarms) <= max(1, MOST_ALARMS * trials)
    return trials, trials if fine else trials - len(alarms), "%d of %d healthy runs with a finding%s" % (
        len(alarms), trials, ": %s" % sorted({i for ids in alarms for i in ids}) if alarms else "")


@row(33, short=12, full=240)
def slow_runs(trials):
    """Runs with a clear cause have its finding: four in five, and of few trials half."""
    if not os.path.exists(faults.COMMAND):
        raise faults.Skip("there is no command")
    causes = [list(CAUSES)[i % len(CAUSES)] for i in range(trials)]
    found = judge([CAUSES[cause]() for cause in causes])
    hits = {cause: [cause in ids for c, ids in zip(causes, found) if c == cause] for cause in CAUSES}
    share = sum(map(sum, hits.values())) / trials
    fine = share >= (HITS_LEAST if trials >= 100 else 0.5)
    return trials, trials if fine else int(share * trials), ", ".join("%s %d of %d" % (c, sum(h), len(h)) for c, h in hits.items())
