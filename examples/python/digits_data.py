# SPDX-License-Identifier: MIT
"""The handwritten digits of examples/digits: 64 pixels from 0 to 16, and the digit."""
import gzip
import pathlib

FILE = pathlib.Path(__file__).resolve().parent.parent / "digits" / "digits.csv.gz"


def rows(train=True):
    """Returns (pixels from 0 to 1, digit) of the first four fifths of the digits, or of the rest."""
    with gzip.open(FILE, "rt") as file:
        table = [[int(cell) for cell in line.split(",")] for line in file]
    split = len(table) * 4 // 5
    return [([pixel / 16 for pixel in row[:64]], row[64]) for row in (table[:split] if train else table[split:])]


def batches(samples, size=32):
    for i in range(0, len(samples), size):
        yield samples[i:i + size]
