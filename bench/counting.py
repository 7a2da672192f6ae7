# SPDX-License-Identifier: MIT
"""What bench/instructions and bench/lines share: how bench/counted is run under valgrind."""
import os


def environment_of(program):
    """Returns the environment in which BUILD/bench/PROGRAM finds the sinks of BUILD."""
    return dict(os.environ, STEPWATCH_PLUGIN_PATH=os.path.join(os.path.dirname(os.path.dirname(program)), "sinks", ".libs"))


def environment(program):
    """The same of BUILD/bench/.libs/PROGRAM, which also has to find the library."""
    library = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(program))), ".libs")
    sinks = os.path.join(os.path.dirname(library), "sinks", ".libs")
    return dict(os.environ, STEPWATCH_CLOCK="counter", LD_LIBRARY_PATH=library, STEPWATCH_PLUGIN_PATH=sinks)


def behind_libtool(program):
    """Returns the command that libtool's script runs after it has set the path of the library."""
    folder, name = os.path.split(os.path.abspath(program))
    real = os.path.join(folder, ".libs", name)
    return real if os.path.exists(real) else program
