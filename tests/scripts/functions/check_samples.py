# SPDX-License-Identifier: MIT
"""check_samples.py train FOLDER | deep FOLDER | top FOLDER FUNCTION - whether samples of sampled.c are where they have to
be. Bounds are wide: how often a timer expires depends on the machine."""
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


if __name__ == "__main__":
    {"train": train, "deep": deep, "top": top}[sys.argv[1]](*sys.argv[2:])
