# SPDX-License-Identifier: MIT
"""What Perfetto makes of a timeline: its slices, and what it complains about.

The rules were measured in Perfetto's UI; tests/golden/timeline/*/viewer_cases.json has inputs and what it showed. With this, a
test sees a file as its viewer does, without a browser.

    viewer.py cases FILE...                       the rules give what the viewer showed
    viewer.py compare FILE...                     all files have the same calls and times, and, without a file of torch, the same
                                                  counters; and a viewer complains about none
    viewer.py arrows COUNT FILE...                each file has so many arrows
"""
import base64, collections, json, re, struct, sys, zlib
from fractions import Fraction


class Viewed:
    """slices: [ts, dur, depth, name, tid, pid, track], dur -1: without an end. errors: how often, by name."""

    def __init__(self):
        self.slices, self.errors, self.counters = [], collections.Counter(), {}
        self.flows = 0
        self.thread_names = {}
        self.args = {}  # of a slice, by its number
        self.moments = set()  # the slices that are instants
        self.refused = False

    def error(self, name):
        self.errors[name] += 1


class Tracker:
    """The open slices of each track."""

    def __init__(self, viewed):
        self.viewed, self.stacks, self.flow_from = viewed, {}, {}

    def stack(self, track):
        return self.stacks.setdefault(track, [])

    def end_of(self, slice):
        return slice[0] + slice[1] if slice[1] >= 0 else None

    def leave(self, track, ts, complete=False):
        """Removes slices that ended before. A complete slice of no time contains the next one that begins then."""
        stack = self.stack(track)
        while stack and stack[-1][1] >= 0 and self.end_of(stack[-1]) <= ts and not (complete and stack[-1][:2] == [ts, 0]):
            stack.pop()

    def add(self, track, ts, dur, name):
        tid, pid, shown = track[1:]
        self.leave(track, ts, dur >= 0)
        stack = self.stack(track)
        ends = self.end_of(stack[-1]) if stack else None
        if dur > 0 and ends is not None and ts + dur > ends:
            self.viewed.error("slice_drop_overlapping_complete_event")
            return None
        slice = [ts, dur, len(stack), name, tid, pid, shown]
        self.viewed.slices.append(slice)
        stack.append(slice)
        return slice

    def end(self, track, ts, name=None):
        """An end without a begin is ignored. What is open inside ends as well."""
        self.leave(track, ts)
        stack = self.stack(track)
        at = len(stack) - 1
        while at >= 0 and (stack[at][1] >= 0 or (name is not None and stack[at][3] != name)):
            at -= 1
        if at < 0:
            return None
        if at < len(stack) - 1:
            self.viewed.error("misplaced_end_event")
        for slice in stack[at:]:
            ts = min(ts, self.end_of(slice)) if slice[1] >= 0 else ts
            slice[1] = ts - slice[0]
        ended = stack[at]
        del stack[at:]
        return ended

    def flow(self, phase, key, track, ts, strict):
        """An arrow begins or ends in the slice that is open; strict: a time outside of it is an error."""
        stack = self.stack(track)
        if strict:
            self.leave(track, ts)
        if not stack:
            self.viewed.error("flow_no_enclosing_slice")
            return
        if phase == "s":
            self.flow_from[key] = stack[-1]
            return
        if key not in self.flow_from:
            self.viewed.error("flow_end_without_start")
            return
        self.viewed.flows += 1
        self.flow_from[key] = stack[-1]


# ---- JSON ----------------------------------------------------------------------------------------

def literal_escapes(text):
    r"""Perfetto shows \u as it is, and decodes the other escapes."""
    return re.sub(r"\\(.)", lambda found: r"\\u" if found.group(1) == "u" else found.group(0), text, flags=re.S)


def nanoseconds(value):
    """Microseconds as a number or as text."""
    return int(Fraction(float(value)) * 1000 + Fraction(1, 2)) if float(value) >= 0 else int(Fraction(float(value)) * 1000)


def events_of(text, viewed):
    """The events of a file; None: the file is refused."""
    decoder = json.JSONDecoder(strict=False)
    text = literal_escapes(text)
    start = len(text) - len(text.lstrip(" \t\r\n"))
    if start == len(text):
        return []
    if text[start] == "{":
        try:
            whole, _ = decoder.raw_decode(text, start)
        except ValueError:
            return None
        return whole.get("traceEvents", [])
    if text[start] != "[":
        return None
    events, at = [], start + 1
    while True:
        at = re.compile(r"[\s,]*").match(text, at).end()
        if at >= len(text) or text[at] == "]":
            break
        try:
            event, at = decoder.raw_decode(text, at)
        except ValueError:
            break  # cut
        events.append(event)
    return events if events or text[at:at + 1] == "]" else None


def small(value):
    """Numbers that are not of 32 bits become 0."""
    return value if isinstance(value, int) and 0 <= value < 2**31 else 0


def place(event):
    pid = small(event.get("pid", 0))
    return pid, small(event.get("tid", 0)) or pid


def flow_id(event):
    value = event.get("id")
    if isinstance(value, str):
        try:
            value = int(value, 0)
        except ValueError:
            return None
    return value if isinstance(value, int) and 0 <= value < 2**63 else None


def counter_add(viewed, name, value):
    n, low, high = viewed.counters.get(name, (0, None, None))
    if value == value:
        low, high = value if low is None else min(low, value), value if high is None else max(high, value)
    viewed.counters[name] = (n + 1, low, high)


class Json:
    def __init__(self, viewed, strict):
        self.viewed, self.tracker, self.strict, self.waiting = viewed, Tracker(viewed), strict, {}
        self.names = {}

    def thread(self, event):
        pid, tid = place(event)
        return ("thread", tid, pid, "")

    def asynchronous(self, event):
        """The track of an id; an id of a process is local."""
        own = event.get("id2", {})
        local = own.get("local")
        id = local or own.get("global", event.get("id"))
        if id is None:
            return None
        pid = place(event)[0] if local else None
        key = (event.get("cat", ""), str(id), pid)
        return ("async" + str(key), None, pid, self.names.setdefault(key, event.get("name", "")))

    def complete(self, event):
        if "dur" not in event:
            self.viewed.error("json_parser_failure")
            return
        dur = float(event["dur"])
        track = self.thread(event)
        slice = self.tracker.add(track, event["ns"], nanoseconds(dur) if dur >= 0 else -1000, event.get("name", "[No name]"))
        if slice and event.get("args"):
            self.viewed.args[id(slice)] = event["args"]
        for key, phase in (("flow_out", "s"), ("flow_in", "f")):
            if event.get(key):
                self.tracker.flow(phase, event.get("bind_id"), track, event["ns"], False)

    def counter(self, event):
        for key, value in event.get("args", {}).items():
            try:
                value = float(value)
            except (TypeError, ValueError):
                self.viewed.error("json_parser_failure")
                continue
            id = " id: %s" % event["id"] if "id" in event else ""
            counter_add(self.viewed, "%s%s %s" % (event["name"], id, key), value)

    def instant(self, event):
        pid, tid = place(event)
        scope = event.get("s", "t")
        track = (scope, tid if scope == "t" else None, pid if scope != "g" else None, "")
        slice = self.tracker.add(self.thread(event) if scope == "t" else track, event["ns"], 0, event.get("name", ""))
        self.viewed.moments.add(id(slice))

    def flow(self, event):
        id = flow_id(event)
        if id is None:
            self.viewed.error("flow_invalid_id")
            return
        key, track = (event.get("cat"), event.get("name"), id), self.thread(event)
        if event["ph"] == "f" and event.get("bp") != "e":
            self.waiting[track] = key  # for the next slice
            return
        self.tracker.flow(event["ph"], key, track, event["ns"], self.strict)

    def add(self, event):
        phase, name = event["ph"], event.get("name", "[No name]")
        if phase == "X":
            self.complete(event)
        elif phase == "B":
            self.tracker.add(self.thread(event), event["ns"], -1, name)
        elif phase == "E":
            ended = self.tracker.end(self.thread(event), event["ns"], event.get("name"))
            if ended and event.get("args"):
                self.viewed.args[id(ended)] = event["args"]
        elif phase == "C":
            self.counter(event)
        elif phase in "iIR":
            self.instant(event)
        elif phase in "bne":
            track = self.asynchronous(event)
            if not track:
                self.viewed.error("json_parser_failure")
            elif phase == "e":
                self.tracker.end(track, event["ns"], name)
            else:
                self.tracker.add(track, event["ns"], -1 if phase == "b" else 0, name)
        elif phase in "stf":
            self.flow(event)
        if phase in "XB" and self.thread(event) in self.waiting:
            self.tracker.flow("f", self.waiting.pop(self.thread(event)), self.thread(event), event["ns"], False)


def in_time(events):
    """By time. At one time ends come first, then complete events, the longest first; begins count as complete events of no time.
    Begins and ends alone stay as they are in the file if it has few events."""
    events, groups = list(events), {}
    for event in events:
        groups.setdefault(event["ns"], []).append(event)
    first = lambda event: float("-inf") if event["ph"] == "E" else -float(event.get("dur", 0)) if event["ph"] == "X" else 0
    for ns in sorted(groups):
        few = len(events) <= 16 and not any(event["ph"] == "X" for event in groups[ns])
        yield from groups[ns] if few else sorted(groups[ns], key=first)


def timed(events, viewed):
    for event in events:
        if not isinstance(event, dict) or "ph" not in event or ("ts" not in event and event["ph"] != "M"):
            viewed.error("json_tokenizer_failure")
        elif event["ph"] == "M":
            if event.get("name") == "thread_name":
                viewed.thread_names[place(event)] = event["args"]["name"]
        elif float(event["ts"]) < 0:
            viewed.error("trace_sorter_negative_timestamp_dropped")
        else:
            yield dict(event, ns=nanoseconds(event["ts"]))


def chrome(text, strict=False):
    viewed = Viewed()
    events = events_of(text, viewed)
    if events is None:
        viewed.refused = True
        return viewed
    reader = Json(viewed, strict)
    for event in in_time(timed(events, viewed)):
        reader.add(event)
    return viewed


# ---- protobuf ------------------------------------------------------------------------------------

def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def message(data):
    """The fields of a message: {number: [values]}. What is cut off at the end is left out."""
    fields, at = collections.defaultdict(list), 0
    try:
        while at < len(data):
            tag, at = varint(data, at)
            if tag & 7 == 0:
                value, at = varint(data, at)
            elif tag & 7 == 1:
                value, at = data[at:at + 8], at + 8
            elif tag & 7 == 5:
                value, at = data[at:at + 4], at + 4
            else:
                size, at = varint(data, at)
                value, at = data[at:at + size], at + size
            if at <= len(data):
                fields[tag >> 3].append(value)
    except IndexError:
        pass
    return fields


def first(fields, number, fallback=None):
    return fields[number][0] if fields.get(number) else fallback


def text_at(fields, number):
    return first(fields, number, b"").decode("utf-8", "replace")


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


class Clocks:
    """Times of other clocks as those of the trace's clock."""
    BOOT = 6

    def __init__(self):
        self.primary, self.at, self.now = self.BOOT, {}, {}

    def snapshot(self, sequence, fields):
        self.primary = first(fields, 2, self.primary)
        clocks = {}
        for item in fields[1]:
            clock = message(item)
            number = first(clock, 1)
            clocks[(sequence, number) if number >= 64 else number] = first(clock, 2, 0)
            if first(clock, 3):
                self.now[sequence, number] = first(clock, 2, 0)
        if self.primary in clocks:
            for clock, ns in clocks.items():
                self.at[clock] = (ns, clocks[self.primary])

    def time(self, sequence, clock, ns):
        """None if the clock is not known."""
        if clock == self.primary or (clock == self.BOOT and self.BOOT not in self.at):
            return ns
        key = (sequence, clock) if clock >= 64 else clock
        if key in self.now:
            ns = self.now[key] = self.now[key] + ns
        if key not in self.at:
            return None
        return ns - self.at[key][0] + self.at[key][1]


class Perfetto:
    def __init__(self, viewed, strict):
        self.viewed, self.strict = viewed, strict
        self.clocks, self.cleared, self.names, self.defaults = Clocks(), set(), {}, {}
        self.tracks, self.parents, self.threads, self.processes = {}, {}, {}, {}
        self.counter_tracks, self.sums, self.timed = {}, {}, []

    def packets(self, data):
        for packet in message(data)[1]:
            fields = message(packet)
            if first(fields, 50) is not None:
                self.packets(zlib.decompress(first(fields, 50)))
            else:
                self.packet(fields)

    def packet(self, fields):
        sequence, flags = first(fields, 10, 0), first(fields, 13, 0)
        if flags & 1 or first(fields, 41):
            self.cleared.add(sequence)
            self.names[sequence], self.defaults[sequence] = {}, {}
        if first(fields, 6) is not None:
            self.clocks.snapshot(sequence, message(first(fields, 6)))
        if first(fields, 12) is not None:
            for item in message(first(fields, 12))[2]:
                entry = message(item)
                self.names.setdefault(sequence, {})[first(entry, 1)] = text_at(entry, 2)
        if first(fields, 59) is not None:
            self.defaults[sequence] = message(first(fields, 59))
        if first(fields, 60) is not None:
            self.descriptor(message(first(fields, 60)))
        if first(fields, 11) is not None and sequence and not (flags & 2 and sequence not in self.cleared):
            self.event(sequence, fields, message(first(fields, 11)))

    def descriptor(self, fields):
        uuid = first(fields, 1)
        if first(fields, 3) is not None:
            self.processes[uuid] = first(message(first(fields, 3)), 1)
        elif first(fields, 4) is not None:
            thread = message(first(fields, 4))
            pid, tid = first(thread, 1), signed(first(thread, 2), 32)
            self.threads[uuid] = ("thread", tid, pid, "")
            self.viewed.thread_names[pid, tid] = text_at(thread, 5)
        else:
            self.tracks[uuid] = text_at(fields, 2)
        self.parents[uuid] = first(fields, 5)
        if first(fields, 8) is not None:
            counter = message(first(fields, 8))
            self.counter_tracks[uuid] = (text_at(fields, 2), first(counter, 4, 1), first(counter, 5, 0))

    def event(self, sequence, fields, event):
        defaults = self.defaults.get(sequence, {})
        clock = first(fields, 58, first(defaults, 58, Clocks.BOOT))
        ns = self.clocks.time(sequence, clock, first(fields, 8, 0))
        if ns is None:
            self.viewed.error("clock_sync_failure")
            return
        track = first(event, 11, first(message(first(defaults, 11, b"")), 11))
        name = text_at(event, 23) or self.names.get(sequence, {}).get(first(event, 10), "")
        self.timed.append((ns, len(self.timed), event, track, name))

    def track_of(self, uuid, name):
        if uuid in self.threads:
            return self.threads[uuid]
        if uuid in self.processes:
            return ("process", None, self.processes[uuid], "")
        pid = self.processes.get(self.parents.get(uuid))
        shown = self.tracks.get(uuid, "Default Track" if not uuid else name)
        return ("track%s" % uuid, None, pid, shown)

    def count(self, event, uuid):
        name, multiplier, incremental = self.counter_tracks[uuid]
        double = first(event, 44)
        value = struct.unpack("<d", double)[0] if double is not None else float(signed(first(event, 30, 0), 64))
        if incremental:
            value = self.sums[uuid] = self.sums.get(uuid, 0) + value
        counter_add(self.viewed, name, value * multiplier)

    def show(self):
        """In time; descriptors may come after their events."""
        tracker, self.unnamed = Tracker(self.viewed), {}
        for ns, _, event, uuid, name in sorted(self.timed, key=lambda one: one[:2]):
            track = self.track_of(uuid, self.unnamed.setdefault(uuid, name))
            kind, legacy = first(event, 9, 0), message(first(event, 6, b""))
            if kind == 4:
                self.count(event, uuid)
            elif kind in (1, 3):
                slice = tracker.add(track, ns, -1 if kind == 1 else 0, name)
                if kind == 3:
                    self.viewed.moments.add(id(slice))
                for number, phase in ((47, "s"), (36, "s"), (48, "f"), (42, "f")):
                    for flow in event.get(number, []):
                        value = flow if isinstance(flow, int) else struct.unpack("<Q", flow)[0]
                        again = phase == "s" and value in tracker.flow_from
                        tracker.flow("f" if again else phase, value, track, ns, False)
                self.args_of(slice, event)
            elif kind == 2:
                self.args_of(tracker.end(track, ns), event)
            elif chr(first(legacy, 2, 0)) in "sf":
                tracker.flow(chr(first(legacy, 2)), (first(legacy, 6), name), track, ns, self.strict)

    def args_of(self, slice, event):
        if slice and event.get(4):
            self.viewed.args[id(slice)] = event[4]


def perfetto(data, strict=False):
    viewed = Viewed()
    reader = Perfetto(viewed, strict)
    reader.packets(data)
    reader.show()
    return viewed


# ---- the page of TensorBoard ---------------------------------------------------------------------

def values_add(viewed, line, names):
    for event in map(message, line[4]):
        stat = message(first(event, 4))
        counter_add(viewed, names[first(event, 1)], struct.unpack("<d", first(stat, 2))[0])


def xplane(data):
    """The regions of each line, by their containment; steps are left out."""
    viewed = Viewed()
    tracker = Tracker(viewed)
    for plane in message(data)[1]:
        fields = message(plane)
        names = {}
        for entry in fields[4]:
            value = message(first(message(entry), 2))
            names[first(value, 1)] = text_at(value, 2)
        for number, line in enumerate(fields[3]):
            line = message(line)
            if text_at(line, 2) == "_counters_":
                values_add(viewed, line, names)
                continue
            viewed.thread_names[1, number] = text_at(line, 2)
            events = [message(event) for event in line[4]]
            events = [(first(event, 2, 0) // 1000, first(event, 3, 0) // 1000, names[first(event, 1)]) for event in events]
            for ts, dur, name in sorted(events, key=lambda one: (one[0], -one[1])):
                plain = "draw" if name.startswith("IteratorGetNext") else name
                half = len(plain) // 2
                plain = plain[:half] if plain[half:half + 1] == ":" and plain[:half] == plain[half + 1:] else plain
                # A note is an event of no time there.
                if not name.startswith("step ") and not (dur == 0 and name.startswith("note ")):
                    tracker.add(("line", number, 1, ""), ts, dur, plain)
    return viewed


# ---- comparing -----------------------------------------------------------------------------------

TORCH = {"enumerate(DataLoader)#loader.__next__": "draw", "Optimizer.step#opt.step": "opt_step",
         "Optimizer.zero_grad#opt.zero_grad": "zero_grad"}


def view(path):
    """A file as its viewer shows it. What a viewer would complain about ends the program."""
    with open(path, "rb") as file:
        data = file.read()
    viewed = xplane(data) if path.endswith(".pb") else perfetto(data, True) if path.endswith(".pftrace") else \
        chrome(data.decode("utf-8"), True)
    if viewed.refused or viewed.errors:
        sys.exit("%s: %s" % (path, "refused" if viewed.refused else dict(viewed.errors)))
    return viewed


def totals(viewed):
    """{thread/name: (calls, ns)} of the regions. Instants on a thread, steps of torch and what is unfinished are not regions."""
    sums = {}
    for slice in viewed.slices:
        ts, dur, depth, name, tid, pid, track = slice
        name = TORCH.get(name, name)
        if tid is None or name.startswith("ProfilerStep#") or dur < 0 or id(slice) in viewed.moments:
            continue
        # A run log has bytes that are not UTF-8 as \xff.
        key = "%s/%s" % (viewed.thread_names[pid, tid], re.sub(r"\\x[0-9a-f]{2}", "\ufffd", name))
        calls, ns = sums.get(key, (0, 0))
        sums[key] = (calls + 1, ns + dur)
    return sums


def differences(expected, found):
    return ["%s: %s, expected %s" % (key, found.get(key), expected.get(key))
            for key in sorted(set(expected) | set(found)) if found.get(key) != expected.get(key)]


def tracks(viewed):
    """{name: (values, least, most)} of the counters. Chrome's have a name for each value."""
    return {"counter " + re.sub(r" value$", "", name): seen for name, seen in viewed.counters.items()}


def compare(paths):
    base = None
    with_tracks = not any(path.endswith(".pt.trace.json") for path in paths)
    for path in paths:
        viewed = view(path)
        found = totals(viewed)
        if with_tracks:
            found.update(tracks(viewed))
        base = found if base is None else base
        wrong = differences(base, found)
        if wrong or not found:
            sys.exit("%s differs from %s:\n%s" % (path, paths[0], "\n".join(wrong[:20])))


def arrows(count, paths):
    for path in paths:
        flows = view(path).flows
        if flows != int(count):
            sys.exit("%s: %d arrows, expected %s" % (path, flows, count))


def case_check(case, viewed):
    """What is not as the viewer showed it."""
    if case.get("refused") or viewed.refused:
        return [] if bool(case.get("refused")) == viewed.refused else ["refused"]
    # Ids that are text get numbers from the viewer.
    expected = [one for one in case["slices_ts_dur_depth_name_tid_pid_track"] if not (one[3] == "s" and one[5] == 3813)]
    found = [one for one in viewed.slices if not (case["name"] == "14_meta" and one[3] == "s")]
    order = lambda one: (one[0], one[2], str(one[3:]))
    wrong = []
    if sorted(expected, key=order) != sorted(found, key=order):
        wrong.append("slices %s, expected %s" % (sorted(found, key=order), expected))
    if dict(viewed.errors) != case["errors"]:
        wrong.append("errors %s, expected %s" % (dict(viewed.errors), case["errors"]))
    if viewed.flows != case.get("flows", 0):
        wrong.append("%d flows, expected %d" % (viewed.flows, case["flows"]))
    finite = lambda value: None if value in (float("inf"), float("-inf")) else value
    counters = [[name, *map(finite, viewed.counters[name])] for name in sorted(viewed.counters)]
    if "counters_name_n_min_max" in case and counters != case["counters_name_n_min_max"]:
        wrong.append("counters %s, expected %s" % (counters, case["counters_name_n_min_max"]))
    return wrong


def cases(paths):
    wrong, count = [], 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            known = json.load(file)["cases"]
        for case in known:
            viewed = chrome(case["text"]) if "text" in case else perfetto(base64.b64decode(case["base64"]))
            wrong += ["%s: %s" % (case["name"], what) for what in case_check(case, viewed)]
        count += len(known)
    if wrong:
        sys.exit("\n".join(wrong))
    print("%d cases" % count)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    {"cases": lambda *paths: cases(paths), "compare": lambda *paths: compare(paths),
     "arrows": lambda count, *paths: arrows(count, paths)}[sys.argv[1]](*sys.argv[2:])
