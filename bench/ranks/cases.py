# SPDX-License-Identifier: MIT
"""The group `ranks` of bench/run: what it costs to join the ranks of a program with MPI, and to merge their logs afterwards.

The programs of MPI run on this machine alone: with more ranks than processors, most of a figure is the time until the kernel
lets each rank run, which the case `reduce` (three calls of MPI_Reduce() by hand) shows.
"""
import json, os, re, resource, shutil, subprocess, tempfile, time

RANKS = [2, 4, 8, 16, 32, 64]
ACTIONS = [10, 1000]
STEPS = 10000
# Beside the case to compare with; the memory and the time of a merge have goals of their own.
GOALS = {**{f"report_{actions}_of_{ranks}": (f"reduce_{actions}_of_{ranks}", None) for actions in ACTIONS for ranks in RANKS},
         "merge_1024_summary": (None, 1), "merge_1024_summary_memory": (None, 65536)}
QUIET = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl": "self,vader",
         "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
         "OMPI_MCA_mpi_yield_when_idle": "1"}


def mpirun(folder):
    """Returns the launcher that ./configure found, or None."""
    with open(os.path.join(folder, "Makefile")) as file:
        found = re.search(r"^MPIRUN = (.+)$", file.read(), re.M)
    return shutil.which(found.group(1)) if found else None


def case(name, unit, values):
    values = sorted(values)
    return {"name": name, "unit": unit, "min_ns": values[0], "median_ns": values[len(values) // 2], "max_ns": values[-1]}


def joined(launcher, program, ranks, actions):
    """Yields the cases of one number of ranks: a line of the program is a repeat."""
    with tempfile.TemporaryDirectory() as scratch:
        out = subprocess.run([launcher, "-n", str(ranks), program, str(actions)], env=dict(os.environ, TMPDIR=scratch, **QUIET),
                             cwd=scratch, check=True, stdout=subprocess.PIPE, timeout=300).stdout.decode()
    found = {}
    for name, unit, value in (line.split() for line in out.splitlines()):
        found.setdefault((name, unit), []).append(float(value))
    for (name, unit), values in found.items():
        if name != "attach" or actions == ACTIONS[0]:
            yield case(f"{name}_of_{ranks}", unit, values)


def rank_log(folder, scratch, detail):
    """Writes the log of one rank of many, with a real program, and returns it as text."""
    config = os.path.join(scratch, "stepwatch.yaml")
    with open(config, "w") as file:
        file.write("profiler: {mode: simple, show_report: false, drop_first_batch: false, wait: [allreduce]}\n"
                   "ranks: {rank: 0, size: 1024}\n"
                   f"logger_callback: {{runlog: {{path: '{scratch}/log.{{rank}}.jsonl', detail: {detail}}}}}\n")
    env = dict(os.environ, STEPWATCH_PLUGIN_PATH=os.path.join(folder, "sinks", ".libs"), STEPWATCH_CONFIG=config)
    subprocess.run([os.path.join(folder, "bench", "rank_log"), str(STEPS)], env=env, check=True, timeout=300)
    with open(os.path.join(scratch, "log.0.jsonl")) as file:
        return file.read()


def logs_write(text, scratch, ranks):
    """Writes the same log for each rank. Returns the bytes."""
    total = 0
    for rank in range(ranks):
        with open(os.path.join(scratch, f"r.{rank}.jsonl"), "w") as file:
            total += file.write(text.replace('"rank":0,', f'"rank":{rank},', 1))
    return total


def merged(folder, detail, ranks):
    """Yields the processor time, the rate and the memory of one merge of as many logs."""
    with tempfile.TemporaryDirectory() as scratch:
        text = rank_log(folder, scratch, detail)
    with tempfile.TemporaryDirectory() as scratch:
        size = logs_write(text, scratch, ranks)
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        process = subprocess.Popen([os.path.join(folder, "tools", "stepwatch"), "merge", "--json", scratch], stdout=subprocess.PIPE)
        answer = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        took, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode or len(answer["ranks"]) != ranks:
        raise SystemExit(f"stepwatch merge joined {len(answer['ranks'])} of {ranks} logs, exit status {process.returncode}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    name = f"merge_{ranks}_{detail}"
    yield case(name, "s", [took])
    yield case(f"{name}_cpu", "s", [cpu])
    yield case(f"{name}_rate", "MB/s", [size / took / 1e6])
    yield case(f"{name}_memory", "KiB", [usage.ru_maxrss])


def programs(folder):
    """Builds what the group needs; the program with MPI only where ./configure found MPI."""
    subprocess.run(["make", "bench/rank_log"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["make", "bench/joined"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def run(folder):
    programs(folder)
    launcher, program, cases = mpirun(folder), os.path.join(folder, "bench", "joined"), []
    if launcher and os.path.exists(program):
        for ranks in RANKS:
            for actions in ACTIONS:
                cases += joined(launcher, program, ranks, actions)
    for detail, ranks in (("summary", 1024), ("steps", 128)):
        cases += merged(folder, detail, ranks)
    return cases
