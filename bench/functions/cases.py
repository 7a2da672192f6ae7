# SPDX-License-Identifier: MIT
"""The group `functions` of bench/run: what a call costs while functions are profiled, with two programs that do little else,
beside the rivals that are installed (gprof, callgrind, uftrace) in the same run. The work of the program is in all figures.
"""
import os, shutil, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PROGRAMS = ["fib", "eight"]
ROUNDS = 5
CALLS = [1e6, 1e8]
GOALS = {
    **{f"{p}_exact": (f"{p}_two_reads", 1.15) for p in PROGRAMS},
    **{f"{p}_sampled": (f"{p}_empty_hooks", 1.35) for p in PROGRAMS},
    **{f"{p}_sampled_by_gprof": (f"{p}_gprof", 1.3) for p in PROGRAMS},
    **{f"{p}_sample_97": (f"{p}_plain", 1.05) for p in PROGRAMS},
    **{f"{p}_{rival}": (f"{p}_plain", None) for p in PROGRAMS for rival in ("gprof", "callgrind", "uftrace", "empty_hooks")},
    "memory_1e8_calls": ("memory_1e6_calls", 1.0),
}


def compiled(scratch):
    """Builds each program in each way. Returns the folder."""
    hooks = ["-finstrument-functions"]
    for program in PROGRAMS:
        for way, flags in {"plain": [], "hooks": hooks, "reads": hooks + ["-DTWO_READS"], "pg": ["-pg"]}.items():
            subprocess.run(["gcc", "-O2", "-g", *flags, "-I", HERE, "-o", os.path.join(scratch, f"{program}.{way}"),
                            os.path.join(HERE, f"{program}.c")], check=True)


def ways(folder, scratch, program):
    """Yields the name of a case and the command; rivals only where they are installed."""
    def of(way):
        return os.path.join(scratch, f"{program}.{way}")

    def stepwatch(*options):
        return [os.path.join(folder, "tools", "stepwatch"), "run", "--no-check", *options, "--functions-out", os.path.join(scratch, "out"), "--"]
    yield "plain", [of("plain")]
    yield "empty_hooks", [of("hooks")]
    yield "two_reads", [of("reads")]
    yield "exact", stepwatch("--functions") + [of("hooks")]
    yield "sampled", stepwatch("--functions=sampled") + [of("hooks")]
    yield "sample_97", stepwatch("--functions=sample") + [of("plain")]
    if shutil.which("gprof"):
        yield "gprof", [of("pg")]
    if shutil.which("valgrind"):
        yield "callgrind", ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", of("plain")]
    if shutil.which("uftrace"):
        yield "uftrace", ["uftrace", "record", "-d", os.path.join(scratch, "uftrace"), of("pg")]


def timed(command, scratch):
    out = subprocess.run(command, cwd=scratch, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=300)
    return float(out.stdout.decode().split()[0])


def case(name, unit, values):
    values = sorted(values)
    return {"name": name, "unit": unit, "min_ns": values[0], "median_ns": values[len(values) // 2], "max_ns": values[-1]}


def program_run(folder, scratch, program):
    """Yields a case for each way. They take turns, because the machine is not equally quick all the time."""
    commands = dict(ways(folder, scratch, program))
    found = {name: [] for name in commands}
    for i in range(ROUNDS):
        for name, command in commands.items():
            if i == 0 or name not in ("callgrind", "uftrace"):
                found[name].append(timed(command, scratch))
    for name, values in found.items():
        yield case(f"{program}_{name}", "ns", values)
        if name == "sampled" and "gprof" in found:
            yield case(f"{program}_sampled_by_gprof", "ns", values)


def memory(folder, scratch, calls):
    """What the profile takes on the disk, which is what it takes of memory."""
    out = os.path.join(scratch, f"calls-{calls:.0e}")
    subprocess.run([os.path.join(folder, "tools", "stepwatch"), "run", "--no-check", "--functions=sampled", "--functions-out", out, "--",
                    os.path.join(scratch, "eight.hooks"), str(calls)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    used = [os.stat(os.path.join(out, name)).st_blocks * 512 for name in os.listdir(out) if name.endswith(".functions")]
    return case(f"memory_1e{len(str(int(calls))) - 1}_calls", "bytes", used)


def run(folder):
    with tempfile.TemporaryDirectory() as scratch:
        compiled(scratch)
        cases = [case for program in PROGRAMS for case in program_run(folder, scratch, program)]
        return cases + [memory(folder, scratch, calls) for calls in CALLS]
