#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a picture of a terminal: tmux capture-pane -e -p | docs/watch/screenshot.py >docs/watch/watch.svg

Each character is placed by itself, so that the columns are right whatever font the reader has."""
import html
import re
import sys

WIDTH, HEIGHT, SIZE = 8.4, 18, 14


def runs(line):
    """The characters of a line, with their look."""
    bold = dim = reverse = cyan = False
    for part in re.split(r"(\x1b\[[0-9;]*m|\x1b\(B|\x0f)", line):
        if part.startswith("\x1b["):
            for code in part[2:-1].split(";"):
                if code in ("", "0"):
                    bold = dim = reverse = cyan = False
                bold, dim, reverse = bold or code == "1", dim or code == "2", reverse or code == "7"
                cyan = (cyan or code == "36") and code != "39"
        elif not part.startswith(("\x1b", "\x0f")):
            for character in part:
                yield character, bold, dim, reverse, cyan


def main():
    lines = sys.stdin.read().rstrip("\n").split("\n")
    columns = max(sum(1 for _ in runs(line)) for line in lines)
    width, height = columns * WIDTH + 20, len(lines) * HEIGHT + 20
    print('<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">' % (width, height, width, height))
    print('<rect width="100%" height="100%" rx="6" fill="#16191d"/>')
    print('<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="%d" fill="#d8dee4">' % SIZE)
    for row, line in enumerate(lines):
        for column, (character, bold, dim, reverse, cyan) in enumerate(runs(line)):
            x, y = 10 + column * WIDTH, 10 + row * HEIGHT
            if reverse:
                print('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#d8dee4"/>' % (x, y, WIDTH, HEIGHT))
            if character == " ":
                continue
            # Blocks are drawn: those of fonts leave gaps.
            code = ord(character)
            if 0x2581 <= code <= 0x2588 or 0x2589 <= code <= 0x258F:
                high = (code - 0x2580) / 8 if code <= 0x2588 else 1
                wide = 1 if code <= 0x2588 else (0x2590 - code) / 8
                print('<rect x="%.1f" y="%.1f" width="%.2f" height="%.2f" fill="%s"/>'
                      % (x, y + HEIGHT * (1 - high), WIDTH * wide + 0.05, HEIGHT * high - (1 if high == 1 else 0), "#5aa9c8"))
                continue
            look = ' fill="#16191d"' if reverse else ' fill="#6fd3e8"' if cyan else ' fill="#8b949e"' if dim else ""
            print('<text x="%.1f" y="%.1f"%s%s>%s</text>' % (x, y + 13.5, look, ' font-weight="bold"' if bold else "", html.escape(character)))
    print("</g>\n</svg>")


main()
