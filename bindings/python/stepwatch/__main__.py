# SPDX-License-Identifier: MIT
"""The console script ``stepwatch``, and ``python -m stepwatch``: becomes the command that is in the package, or the installed one."""
import os
import sys


def main() -> None:
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "stepwatch")
    os.execvp(own if os.path.exists(own) else "stepwatch", ["stepwatch", *sys.argv[1:]])


if __name__ == "__main__":
    main()
