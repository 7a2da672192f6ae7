# SPDX-License-Identifier: MIT
"""Reads event files and files of wandb as far as the rows ask: who wrote them does not help with it."""
import json, struct

BLOCK, FULL, FIRST, LAST = 32768, 1, 2, 4


# ---- protocol buffers ----------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, value) of each field: an int for a varint, otherwise the bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def field(data, *path):
    """The values at a path of field numbers."""
    found = [data]
    for number in path:
        found = [value for message in found for n, value in fields(message) if n == number]
    return found


# ---- event files ---------------------------------------------------------------------------------

def framed(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        size, = struct.unpack_from("<Q", data, at)
        yield data[at + 12:at + 12 + size]
        at += size + 16


def events(path):
    """(tag, value) of everything that the file has; value is None if it is not a scalar."""
    for event in framed(path):
        for value in field(event, 5, 1):
            simple = field(value, 2)
            yield field(value, 1)[0].decode("utf-8"), struct.unpack("<f", simple[0])[0] if simple else None


def stamps(path):
    """The time that each event has."""
    return [struct.unpack("<d", field(event, 1)[0])[0] for event in framed(path)]


# ---- files of wandb ------------------------------------------------------------------------------

def records(path):
    """The records of a file of blocks, whose first seven bytes name its kind."""
    with open(path, "rb") as file:
        data = file.read()
    at, record = 7, b""
    while at + 7 <= len(data):
        if BLOCK - at % BLOCK < 7:
            at += BLOCK - at % BLOCK
            continue
        _, size, kind = struct.unpack_from("<IHB", data, at)
        record = (b"" if kind in (FULL, FIRST) else record) + data[at + 7:at + 7 + size]
        at += 7 + size
        if kind in (FULL, LAST):
            yield record


def rows(path):
    """The rows of the history, by key; a value that is no JSON raises."""
    for record in records(path):
        for history in field(record, 2):
            yield {".".join(part.decode("utf-8") for part in field(item, 1) + field(item, 2)):
                   json.loads(field(item, 16)[0]) for item in field(history, 1)}
