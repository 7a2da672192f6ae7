# SPDX-License-Identifier: MIT
"""Rows about programs that reach into what stepwatch does in them. Each trial is a script of tests/scripts, which
`make check` runs once."""
import os, subprocess

import faults
from faults import row


def script(name, trials, **more):
    passed = 0
    for _ in range(trials):
        done = subprocess.run(["sh", os.path.join(faults.SRCDIR, "tests/scripts", name)], capture_output=True, timeout=600,
                              env=dict(os.environ, **more, SRCDIR=faults.SRCDIR, BUILDDIR=faults.BUILDDIR, SANITIZER=faults.SANITIZER,
                                       CC=os.environ.get("CC", "gcc"), CXX=os.environ.get("CXX", "g++")))
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        if done.returncode == 77:
            raise faults.Skip(said.strip())
        passed += faults.tell(name, ["status %d" % done.returncode] if done.returncode else [], said)
    return passed


@row(28, short=1, full=10)
def debugger(trials):
    """A program with a sink under gdb, which opens the names that the loader has; also with a sink that a group may replace."""
    passed = script("debugger.sh", trials)
    return trials, passed, "hangs, results missing: %d" % (trials - passed)


@row(28, short=1, full=10)
def foreign_functions(trials):
    """A program that exports functions with names of the libraries of sinks, links a library that does, or has one preloaded."""
    passed = script("own-symbols.sh", trials)
    return trials, passed, "calls of these functions, results missing: %d" % (trials - passed)


@row(28, short=1, full=5)
def small_stacks(trials):
    """Samples of a thread with 16 KiB of stack and of a coroutine with 8 KiB, with memory below it that has to stay as it is."""
    passed = script("stacks.sh", trials)
    return trials, passed, "crashes, memory overwritten: %d" % (trials - passed)


@row(29, short=1, full=10)
def gfortran_ends(trials):
    """A program in Fortran, whose library prints where it crashed: with the report before that, and the same end."""
    passed = script("runtimes.sh", trials, RUNTIMES="gfortran")
    return trials, passed, "reports missing, other ends: %d" % (trials - passed)


@row(29, short=1, full=10)
def faulthandler_ends(trials):
    """A program in Python with faulthandler: likewise, and it is told of SIGINT at the start."""
    passed = script("runtimes.sh", trials, RUNTIMES="faulthandler")
    return trials, passed, "reports missing, ends without a word: %d" % (trials - passed)
