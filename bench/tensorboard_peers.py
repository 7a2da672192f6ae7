# SPDX-License-Identifier: MIT
"""Measures how fast the Python writers of event files are: tensorboard_peers.py DIRECTORY.

Prints a line for each, like bench/tensorboard.c: name, scalars a second (the best of five rounds), bytes
a scalar, growth of the resident memory."""
import os
import resource
import shutil
import sys
import time

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboardX import SummaryWriter

SCALARS = 50000
ROUNDS = 5
TAGS = [f"{group}/{name}" for group in ("time", "rate") for name in
        ("steps", "draws", "batch", "fward", "bward", "optim", "zgrad")]


def tensorboardx(directory):
    writer = SummaryWriter(directory)
    for i in range(SCALARS):
        writer.add_scalar("loss/train", float(i), i)
    writer.close()


def event_file_writer(directory, tags):
    writer = EventFileWriter(directory)
    for i in range(SCALARS // len(tags)):
        values = [Summary.Value(tag=tag, simple_value=float(i)) for tag in tags]
        writer.add_event(Event(wall_time=time.time(), step=i, summary=Summary(value=values)))
    writer.close()


CASES = {
    "tensorboardX, one scalar an event": tensorboardx,
    "tensorboard EventFileWriter, one": lambda directory: event_file_writer(directory, ["loss/train"]),
    "tensorboard EventFileWriter, 14": lambda directory: event_file_writer(directory, TAGS),
}


def size_below(directory):
    return sum(os.path.getsize(os.path.join(folder, file)) for folder, _, files in os.walk(directory)
               for file in files)


def main():
    for name, write in CASES.items():
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        best = float("inf")
        size = 0
        for _ in range(ROUNDS):
            directory = os.path.join(sys.argv[1], "peer")
            begun = time.monotonic()
            write(directory)
            best = min(best, time.monotonic() - begun)
            size = size_below(directory)
            shutil.rmtree(directory)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"{name:<36} {SCALARS / best:12.0f} scalars/s {size / SCALARS:6.1f} bytes/scalar {grown:6d} KiB")


main()
