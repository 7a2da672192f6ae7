# SPDX-License-Identifier: MIT
"""check_samples.py train FOLDER | deep FOLDER | top FOLDER FUNCTION - whether samples of sampled.c are where they have to
be; wall_PART | sample_PART FOLDER OUTPUT - the same of waits.c, which has printed what it measured. Bounds are wide: how often a timer expires depends on the machine."""
import os
import pstats
import sys


def load(folder, name):
    return {f[2]: v for f, v in pstats.Stats(os.path.join(folder, name + ".prof")).stats.items()}


def consistent(stats):
    for name, (cc, nc, tt, ct, callers) in stats.items():
        assert cc == nc > 0, f"{name}: {nc} and {cc} are not its samples"
        assert tt <= ct + 1e-6, f"{name}: own {tt}, with callees {ct}"
        for caller, (n, c, t, cumulative) in callers.items():
            assert n == c and 0 < n <= nc and cumulative <= ct + 1e-6, f"{caller} > {name}: {n} of {nc}"


def callers(stats, name):
    return {f[2] for f in stats[name][4]}


def train(folder):
    whole, forward, draw = load(folder, "whole"), load(folder, "forward"), load(folder, "draw")
    for stats in whole, forward, draw:
        consistent(stats)
    own = max(whole, key=lambda f: whole[f][2])
    assert own == "folded_in", f"most time is in {own}, expected folded_in"
    assert 0.06 < whole["matrix"][3] < 0.2, f"matrix took {whole['matrix'][3]} s of 0.12 s"
    for caller, callee in ("main", "train"), ("train", "middle"), ("middle", "matrix"), ("matrix", "folded_in"), ("loader", "load"):
        assert caller in callers(whole, callee), f"{callee} is called by {callers(whole, callee)}, expected {caller}"
    assert "matrix" in forward and "load" not in forward and "loader" not in forward, f"forward has {sorted(forward)}"
    assert "load" in draw and "loader" not in draw and "matrix" not in draw, f"draw has {sorted(draw)}"
    assert callers(forward, "main") == {"<forward>"}, f"main is called by {callers(forward, 'main')}"
    assert 0.06 < forward["<forward>"][3] < 0.2, f"forward took {forward['<forward>'][3]} s of 0.12 s"


def deep(folder):
    whole = load(folder, "whole")
    consistent(whole)
    samples = whole["matrix"][1]
    assert whole["recursive"][1] == samples, f"recursive was open in {whole['recursive'][1]} of {samples} samples"
    assert "(deeper)" in callers(whole, "recursive") and "main" not in whole, f"found {sorted(whole)}"


def top(folder, function):
    whole = load(folder, "whole")
    own = max(whole, key=lambda f: whole[f][2])
    assert own == function, f"most time is in {own}, expected {function}"
    assert 0.03 < whole[function][3] < 0.2, f"{function} took {whole[function][3]} s of 0.12 s"


def seconds(stats, name):
    return stats[name][3] if name in stats else 0


def wall_shares(folder, output):
    """One thread's wall time. There are some 600 samples: an error of 2 % is usual."""
    whole = load(folder, "whole")
    consistent(whole)
    measured = {words[0]: float(words[1]) for words in map(str.split, open(output)) if words[0] in ("sleeps", "works")}
    total = seconds(whole, "main")
    assert abs(total / sum(measured.values()) - 1) < 0.1, f"main took {total} s of {sum(measured.values())} s"
    for name, took in measured.items():
        share, expected = seconds(whole, name) / total, took / sum(measured.values())
        assert abs(share - expected) < 0.07, f"{name} took {share:.3f} of the time, measured {expected:.3f}"
    assert callers(whole, "sleeps") == callers(whole, "works") == {"shares"}, f"sleeps is called by {callers(whole, 'sleeps')}"


def wall_ways(folder, _):
    """Each thread waits 0.2 s in a way of its own."""
    whole = load(folder, "whole")
    consistent(whole)
    for way in "read", "poll", "select", "epoll", "condition", "semaphore", "child", "usleep":
        name = "in_" + way
        assert 0.12 < seconds(whole, name) < 0.5, f"{name} took {seconds(whole, name)} s of 0.2 s"
        assert callers(whole, name) == {"run"}, f"{name} is called by {callers(whole, name)}, expected run"


def measured(output, name):
    return next(float(line.split()[1]) for line in open(output) if line.startswith(name + " "))


def wall_threads(folder, output):
    """100 threads that sleep 5 ms each."""
    took = seconds(load(folder, "whole"), "briefly")
    most = measured(output, "briefly")
    assert 0.35 < took < most * 1.2, f"briefly took {took} s, measured at most {most} s"


def wall_train(folder, output):
    """Computes for 0.1 s of CPU time, which takes longer on a busy machine."""
    draw, forward = load(folder, "draw"), load(folder, "forward")
    assert 0.12 < seconds(draw, "doze") < 0.5 and "compute" not in draw, f"draw has {sorted(draw)}"
    assert 0.05 < seconds(forward, "compute") < measured(output, "forward") + 0.3 and "doze" not in forward, f"forward has {sorted(forward)}"
    assert callers(draw, "doze") == {"train"}, f"doze is called by {callers(draw, 'doze')}"


def sample_train(folder, _):
    """CPU time has no waits."""
    whole = load(folder, "whole")
    doze, compute = seconds(whole, "doze"), seconds(whole, "compute")
    assert doze < 0.03 < compute, f"doze took {doze} s of CPU time, compute {compute} s"


PARTS = {f.__name__: f for f in (train, deep, top, wall_shares, wall_ways, wall_threads, wall_train, sample_train)}

if __name__ == "__main__":
    PARTS[sys.argv[1]](*sys.argv[2:])
