# SPDX-License-Identifier: MIT
"""The console script ``stepwatch``: becomes the command that is in the package."""
import os
import sys


def main() -> None:
    command = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stepwatch")
    os.execv(command, ["stepwatch", *sys.argv[1:]])
