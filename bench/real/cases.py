# SPDX-License-Identifier: MIT
"""The group `real` of bench/run: the real cost of a step. Runs a process for each case, in several rounds."""
import os, re, shutil, subprocess, tempfile, time

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REPEATS, SECONDS = 5, 180  # rounds, and when no further one begins
SINKS = {
    "none": "",
    "table": "logger_callback: [{table: {path: report.txt}}]\n",
    "files": "logger_callback: [{table: {path: report.txt}}, {markdown: {path: report.md}}, {csv: {path: report.csv}},"
             " {runlog: {path: run.jsonl}}, {tensorboard: {logdir: runs}}]\n",
    "six": "logger_callback: [{table: {path: report.txt}}, {markdown: {path: report.md}}, {csv: {path: report.csv}},"
           " {runlog: {path: run.jsonl}}, {tensorboard: {logdir: runs}}, {wandb: {mode: offline}}]\n",
    "regions": "logger_callback: [{runlog: {path: run.jsonl, detail: regions}}]\n",
}

# A row of the table: name, what it is, goal (the case to compare with and the ratio to it; or None and the figure in the case's own
# unit), and what limits it, shown where the goal is not met. docs/benchmarks.md has the profiles.
COLD = "each call touches some cache lines and pages that the step's own work has evicted: see the profile `lines`"
BESIDE = "the figure includes what the kernel takes to wake and to schedule the threads: see the count of instructions"
LOADED = "see the profile `open`"
SHARED = "each call finds the caches as the step's own work left them: see the profile `lines`"
ROWS = [
    ("digits_step_table", "a step of the example digits, all calls of its loop's thread, the table", None, 1500, SHARED),
    ("digits_step_six", "the same, six sinks", None, 1500, SHARED),
    ("paced_step_table", "a step of 1 ms that walks 4 MiB, ten calls of its loop's thread, the table", None, 1200, SHARED),
    ("paced_step_six", "the same, six sinks", None, 1200, SHARED),
    ("system_calls_of_the_loop", "system calls of the loop's thread in 100,000 steps, six sinks", None, 0,
     "after a pause, the dispatcher sleeps up to 250 ms: it is woken when 8 MiB of records or 64 reports wait"),
    ("epoch_end_10", "end of an epoch, 10 own actions, six sinks", None, 200, BESIDE),
    ("epoch_end_1000", "the same, 1,000 own actions", None, 200, BESIDE),
    ("fit_end_1000", "end of a fit, 1,000 own actions, six sinks", None, 1e6, BESIDE),
    ("pair_cold_64M", "begin and end with cold caches (64 MiB walked before each)", "minimal_pair_cold_64M", 2.0, COLD),
    ("end_batch_cold_64M", "end of a step of four regions, the same", "minimal_pair_cold_64M", 1.98, COLD),
    ("regions_pair", "begin and end, `detail: regions`, compared with the table alone", "real_pair", 1.03, SHARED),
    ("regions_step_of_seven", "a step of seven regions, `detail: regions`", "real_two_rdtsc", 4.725,
     "of nine reads; see the count of instructions"),
    ("step_by_pairs_region", "a region in a step of seven by begin and end, all of the step included", "real_two_rdtsc", 1.25,
     "the end of the step is part of it: see the count of instructions"),
    ("first_call", "first call of an action in a phase on a thread", None, 1000, COLD),
    ("first_call_memory", "memory that it takes", None, 2, "the histogram"),
    ("memory_10000_actions", "memory of 10,000 actions on a thread", None, 10, "the histograms"),
    ("memory_report_10000", "memory of a report of them", None, 8, "the rows"),
    ("two_profilers_pair", "begin and end, two profilers in turn on a thread, compared with one", "real_pair", 1.05,
     "they execute the same instructions, in memory of their own"),
    ("ignored_pair", "begin and end of an action that the mode leaves out", None, 2, "two tests: see the count of instructions"),
    ("cpu_of_sinks_at_1000", "processor time of six sinks' threads at 1,000 steps a second", None, 0.4, BESIDE),
    ("cpu_of_sinks_at_10000", "the same at 10,000 steps a second", None, 3, BESIDE),
    ("idle_wake_ups", "wake-ups a second while a step lasts, six sinks", None, 8, BESIDE),
    ("first_open_six", "first sw_open() of a process, six sinks", None, 1e6, LOADED),
    ("first_region", "first region after it", None, 2000, COLD),
    ("short_run_six", "85 steps of 0.6 ms, six sinks, sw_open() and sw_close() included", "short_run_off", 1.06,
     "sw_open() and the files that the sinks write at the end, most of them wandb's, are most of it"),
]
# What a bare program takes that does only what the kernel and the loader do for the same: shown where the goal is not met.
FLOORS = {
    "first_open_six": ("bare_open_six", "a bare program that loads the same plugins and starts as many threads"),
    "short_run_six": ("bare_files", "a bare program that writes as many files"),
    "cpu_of_sinks_at_10000": ("bare_cpu_at_10000", "bare threads that wake up and write as much, without formatting it,"),
    # These do the least work of a profiler in a shared library: floors.c.
    "paced_step_table": ("paced_step_floor", "a library that does the least"),
    "paced_step_six": ("paced_step_floor", "a library that does the least"),
    "pair_cold_64M": ("floor_pair_cold_64M", "a library that does the least"),
    "end_batch_cold_64M": ("floor_end_batch_cold_64M", "a library that does the least"),
}
GOALS = {name: (base, goal) for name, _, base, goal, _ in ROWS}


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
    return [call for thread, call in lines[marks[0] + 1:marks[1]] if thread == loop and not call.startswith("<...")]


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


def rounds(folder, program, env):
    """Yields all figures, round after round: as many as there is time for, and at least one."""
    began = time.monotonic()
    for n in range(1, REPEATS + 1):
        yield dict((name, (unit, value)) for name, unit, value in measured(folder, program, env))
        if (time.monotonic() - began) * (n + 1) / n > SECONDS:
            return


def ratio_of(name, found):
    """Returns the ratio of a case to the one that its goal names.

    In warm caches, the fastest round is the one that no other program slowed down: it is the ratio of the fastest rounds. Otherwise other programs slow down both figures of a round, and it is the median of the rounds' ratios.
    """
    base = GOALS.get(name, (None, None))[0]
    rounds = [(one[name][1], one[base][1]) for one in found if name in one and base in one] if base else []
    if rounds and base in ("real_two_rdtsc", "real_pair"):
        return min(value for value, _ in rounds) / min(reads for _, reads in rounds)
    ratios = sorted(value / reads for value, reads in rounds)
    return ratios[len(ratios) // 2] if ratios else None


def run(folder):
    """Returns the cases as bench/run shows them: minimum, median and maximum of several rounds."""
    program = os.path.join(folder, "bench", "real_cases")
    env = dict(os.environ, STEPWATCH_PLUGIN_PATH=os.path.join(folder, "sinks", ".libs"))
    found, cases = list(rounds(folder, program, env)), []
    for name in dict.fromkeys(name for one in found for name in one):
        values = sorted(one[name][1] for one in found if name in one)
        cases.append({"name": name, "unit": found[0][name][0], "min_ns": values[0], "median_ns": values[len(values) // 2],
                      "max_ns": values[-1], "ratio": ratio_of(name, found)})
    return cases


def figure(value, unit):
    if unit == "ns":
        return f"{value / 1e6:.2f} ms" if value >= 1e6 else f"{value / 1e3:.2f} us" if value >= 1e3 else f"{value:.1f} ns"
    return f"{value:.4g} {unit}"


def reason(name, why, known):
    floor, program = FLOORS.get(name, (None, None))
    if floor not in known:
        return why
    base = GOALS[name][0]
    if base in known:
        least = f"{known[floor]['median_ns'] / known[base]['median_ns']:.2f} x"
    else:
        least = figure(known[floor]["min_ns"], known[floor]["unit"])
    return f"{program} take{'s' if program.startswith('a ') else ''} {least}; {why}"


def verdict(case, base, goal, why):
    """Says measured and goal, and whether it is met. Times are the fastest round's, for other programs only add to them."""
    measured = case["ratio"] if base else case["min_ns"]
    if measured is None:
        return figure(case["min_ns"], case["unit"]), "", "not compared: the other figure is missing"
    times = f"{measured:.2f} x {base}" if base else figure(measured, case["unit"])
    return times, f"{goal:g} x" if base else figure(goal, case["unit"]), "met" if measured <= goal else f"NOT MET: {why}"


def table_print(cases):
    """Prints each row with what was measured, the goal, and whether it is met or why not."""
    known = {case["name"]: case for case in cases}
    print(f"\n{'what a step really costs':84} {'measured':>30} {'goal':>10}")
    for name, what, base, goal, why in ROWS:
        if name in known:
            measured, wanted, met = verdict(known[name], base, goal, reason(name, why, known))
            print(f"{what:84} {measured:>30} {wanted:>10}  {met}")
        else:
            print(f"{what:84} {'not measured: a program that it needs is missing':>30}")


def profile_print(folder):
    """Prints what the reasons name: counts that other programs on the machine do not change."""
    for name, script, program in (("lines", "lines", "counted"), ("instructions", "instructions", "counted"), ("open", "open", "real_cases")):
        print(f"\nprofile `{name}`:", flush=True)
        try:
            subprocess.run([os.path.join(BENCH, script), os.path.join(folder, "bench", program)], timeout=60)
        except subprocess.TimeoutExpired:
            print("stopped after a minute: the machine has too much to do")
