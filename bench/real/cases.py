# SPDX-License-Identifier: MIT
"""The group `real` of bench/run: the real cost of a step. Runs a process for each case, several times."""
import os, re, shutil, subprocess, tempfile

REPEATS = 5
SINKS = {
    "none": "",
    "table": "logger_callback: [{table: {path: report.txt}}]\n",
    "files": "logger_callback: [{table: {path: report.txt}}, {markdown: {path: report.md}}, {csv: {path: report.csv}},"
             " {runlog: {path: run.jsonl}}, {tensorboard: {logdir: runs}}]\n",
    "six": "logger_callback: [{table: {path: report.txt}}, {markdown: {path: report.md}}, {csv: {path: report.csv}},"
           " {runlog: {path: run.jsonl}}, {tensorboard: {logdir: runs}}, {wandb: {mode: offline}}]\n",
    "regions": "logger_callback: [{runlog: {path: run.jsonl, detail: regions}}]\n",
}

# Like GOALS of bench/run: (case to compare with, ratio) or (None, figure in the case's own unit).
GOALS = {
    "pair_cold_64M": ("minimal_pair_cold_64M", 1.54), "end_batch_cold_64M": ("minimal_pair_cold_64M", 1.98),
    "paced_step_table": (None, 2000), "paced_step_six": (None, 3000),
    "digits_step_table": (None, 2000), "digits_step_six": (None, 3000),
    "step_by_pairs_region": ("real_two_rdtsc", 1.25),
    "regions_pair": ("real_two_rdtsc", 1.38), "regions_step_of_seven": ("real_two_rdtsc", 15.4),
    "two_profilers_pair": ("real_two_rdtsc", 1.33), "ignored_pair": (None, 2),
    "epoch_end_10": (None, 1e4), "epoch_end_1000": (None, 5e4), "fit_end_1000": (None, 1e6),
    "first_call": (None, 1000), "first_call_memory": (None, 2),
    "memory_10000_actions": (None, 24), "memory_report_10000": (None, 8),
    "cpu_of_sinks_at_1000": (None, 0.4), "cpu_of_sinks_at_10000": (None, 2.5), "idle_wake_ups": (None, 8),
    "system_calls_of_the_loop": (None, 0),
    "first_open_six": (None, 1e6), "first_region": (None, 2000), "short_run_six": ("short_run_off", 1.06),
}


def figures(command, env, scratch):
    """Returns (name, unit, value) of each line that the process prints, on either stream."""
    done = subprocess.run(command, env=env, cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout.decode(errors='replace')}")
    lines = [line.split() for line in done.stdout.decode(errors="replace").splitlines()]
    return [(line[0], line[1], float(line[2])) for line in lines
            if len(line) == 3 and re.fullmatch(r"[a-zA-Z_0-9]+", line[0]) and re.fullmatch(r"[-+.e0-9]+", line[2])]


def digits(folder, env, scratch, sinks):
    """Measures a step of the example digits with a clock around all calls of its loop's thread."""
    config = os.path.join(scratch, "stepwatch.yaml")
    with open(config, "w") as file:
        file.write("profiler: { mode: simple, show_report: false }\n" + SINKS[sinks])
    program = os.path.join(folder, "examples", "digits", "around")
    lines = figures([program, "--epochs", "20"], dict(env, STEPWATCH_CONFIG=config), scratch)
    return [(f"digits_step_{sinks}", unit, value) for name, unit, value in lines if name == "digits_step"]


def system_calls(program, env, scratch):
    """Counts the system calls of the loop's thread in 10^5 steps with six sinks, between two calls of getppid()."""
    if not shutil.which("strace"):
        return None
    trace = os.path.join(scratch, "trace")
    subprocess.run(["strace", "-f", "-o", trace, program, "system_calls"], env=env, cwd=scratch, check=True,
                   stdout=subprocess.DEVNULL, timeout=300)
    with open(trace) as file:
        lines = [line.split(None, 1) for line in file]
    marks = [i for i, (_, call) in enumerate(lines) if call.startswith("getppid(")]
    loop = lines[marks[0]][0]
    return [call for thread, call in lines[marks[0] + 1:marks[1]] if thread == loop]


def measured(folder, program, env):
    """Runs all cases once, each in an empty folder."""
    names = subprocess.run([program], env=env, check=True, stdout=subprocess.PIPE).stdout.decode().split()
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            if name == "system_calls":
                calls = system_calls(program, env, scratch)
                if calls is not None:
                    yield "system_calls_of_the_loop", "calls", float(len(calls))
            else:
                yield from figures([program, name], env, scratch)
    for sinks in SINKS if os.path.exists(os.path.join(folder, "examples", "digits", "around")) else ():
        with tempfile.TemporaryDirectory() as scratch:
            yield from digits(folder, env, scratch, sinks)


def run(folder):
    """Returns the cases as bench/run shows them: minimum, median and maximum of several rounds."""
    program = os.path.join(folder, "bench", "real_cases")
    env = dict(os.environ, STEPWATCH_PLUGIN_PATH=os.path.join(folder, "sinks", ".libs"))
    values, units = {}, {}
    for _ in range(REPEATS):
        for name, unit, value in measured(folder, program, env):
            values.setdefault(name, []).append(value)
            units[name] = unit
    return [{"name": name, "unit": units[name], "min_ns": min(found), "median_ns": sorted(found)[len(found) // 2],
             "max_ns": max(found)} for name, found in values.items()]
