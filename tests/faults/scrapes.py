# SPDX-License-Identifier: MIT
"""The sink prometheus with clients that are slow, a Pushgateway that is mute, a full disk, and a program that is killed."""
import os, re, signal, socket, threading, time

import disk, faults
from faults import row

RATE = 400


def configure(options):
    faults.require_sinks("prometheus")
    faults.write_config(["prometheus: { %s }" % options], ", close_timeout: 5s")


def p999_ms(path):
    times = sorted(faults.read_stamps(path))
    return times[len(times) * 999 // 1000] / 1e6


def alone(steps):
    """p99.9 of a step without the sink."""
    faults.write_config([])
    faults.run_loop("steps=%d" % steps, "rate=%d" % RATE, "times=alone")
    return p999_ms("alone")


def value_of(text, name):
    found = re.search(r"^stepwatch_%s\{[^}]*\} (\S+)$" % name, text, re.M)
    return float(found.group(1)) if found else None


def is_whole(text):
    """It ends with the last family, and a newline."""
    return text.endswith("\n") and text.rstrip("\n").rsplit("\n", 1)[-1].startswith("stepwatch_series_dropped_total{")


# ---- slow clients ------------------------------------------------------------------------------------

class Crowd:
    """100 clients that send one byte a second of a request that never ends, and connect again when they are cut off."""

    def __init__(self, port, count=100):
        self.port, self.count, self.ended, self.cut = port, count, threading.Event(), 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def connected(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=2)
        client.setblocking(False)
        return client

    def run(self):
        clients = [None] * self.count
        while not self.ended.is_set():
            for i, client in enumerate(clients):
                try:
                    clients[i] = client or self.connected()
                    clients[i].send(b"G")
                    if not clients[i].recv(1):
                        raise OSError
                except BlockingIOError:
                    pass
                except OSError:
                    self.cut, clients[i] = self.cut + 1, None
            self.ended.wait(1)
        for client in clients:
            if client:
                client.close()

    def end(self):
        self.ended.set()
        self.thread.join()


def port_of(process):
    """The port that the sink says."""
    while True:
        line = process.stderr.readline().decode()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/metrics", line)
        if found or not line:
            return int(found.group(1))


@row(15, short=1, full=5)
def slow_scrapes(trials):
    """100 clients of one byte a second: the loop and sw_close() take no longer, and a scrape gets through again after them."""
    passed, slower, ends, steps = 0, [], [], RATE * (12 if trials > 1 else 2)
    for _ in range(trials):
        usual, wrong = alone(steps), []
        configure('listen: "127.0.0.1:0"')
        process = faults.loop("steps=%d" % steps, "rate=%d" % RATE, "times=times")
        crowd = Crowd(port_of(process))
        try:
            status, out, said = faults.end_of(process)
        finally:
            crowd.end()
        slower.append(p999_ms("times") - usual)
        ends.append(faults.nanoseconds("closed", out) / 1e9)
        if status or ends[-1] > 1 + (trials == 1) * 3:
            wrong.append("ended with %s after %.2f s" % (status, ends[-1]))
        if not crowd.cut or (trials > 1 and slower[-1] > 10):
            wrong.append("%d clients cut off; p99.9 of a step %.3f ms more" % (crowd.cut, slower[-1]))
        passed += faults.tell("slow_scrapes", wrong, said)
    return trials, passed, "p99.9 of a step at most %.3f ms more; end after %.2f s" % (max(slower), max(ends))


@row(15, short=1, full=20)
def silent_scrapes(trials):
    """100 clients that connect and say nothing: each scrape is answered at once."""
    passed, longest = 0, 0
    for _ in range(trials):
        configure('listen: "127.0.0.1:0"')
        process = faults.loop("steps=%d" % (3 * RATE), "rate=%d" % RATE)
        port = port_of(process)
        mute = [socket.create_connection(("127.0.0.1", port), timeout=2) for _ in range(100)]
        begin = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = client.recv(15)
        longest = max(longest, time.monotonic() - begin)
        for client in mute:
            client.close()
        status, _, said = faults.end_of(process)
        wrong = ["ended with %s" % faults.signal_name(status)] if status else []
        wrong += ["answered %r after %.2f s" % (answer, longest)] if not answer.startswith(b"HTTP/1.1 ") or longest > 4 else []
        passed += faults.tell("silent_scrapes", wrong, said)
    return trials, passed, "a scrape took at most %.2f s" % longest


# ---- a mute gateway ----------------------------------------------------------------------------------

@row(2, short=1, full=5)
def mute_pushgateway(trials):
    """A Pushgateway that takes requests and never answers: the loop takes no longer, and sw_close() ends within close_timeout."""
    passed, slower, ends, steps = 0, [], [], RATE * (5 if trials > 1 else 1)
    for _ in range(trials):
        usual, wrong = alone(steps), []
        with socket.create_server(("127.0.0.1", 0), backlog=64) as mute:
            configure('push: "http://127.0.0.1:%d", push_interval: 100ms' % mute.getsockname()[1])
            status, out, said = faults.run_loop("steps=%d" % steps, "rate=%d" % RATE, "times=times", env={"no_proxy": "*"})
        slower.append(p999_ms("times") - usual)
        ends.append(faults.nanoseconds("closed", out) / 1e9)
        if status or not 3 < ends[-1] < 5 + (trials == 1) * 3:
            wrong.append("ended with %s after %.2f s" % (status, ends[-1]))
        if said.count("before the last state was sent") != 1 or (trials > 1 and slower[-1] > 10):
            wrong.append("not reported once, or p99.9 of a step %.3f ms more" % slower[-1])
        passed += faults.tell("mute_pushgateway", wrong, said)
    return trials, passed, "p99.9 of a step at most %.3f ms more; end after %.2f s of 5" % (max(slower), max(ends))


# ---- the file ----------------------------------------------------------------------------------------

@row(5, short=2, full=100)
def textfile_killed(trials):
    """SIGKILL at a random time: the file is whole, and shows a run without an end."""
    passed = 0
    for _ in range(trials):
        if os.path.exists("run.prom"):
            os.remove("run.prom")
        configure("path: run.prom, interval: 0s")
        process = faults.loop("steps=100000", "rate=%d" % RATE)
        faults.first_line(process)
        faults.wait_until(lambda: os.path.exists("run.prom"), "the file")
        time.sleep((os.urandom(1)[0] / 255) * (1.5 if trials > 2 else 0.3))
        process.send_signal(signal.SIGKILL)
        faults.end_of(process)
        with open("run.prom") as file:
            text = file.read()
        wrong = [] if is_whole(text) else ["a file that is cut off"]
        if value_of(text, "run_end_time_seconds") != 0 or value_of(text, "run_exit_status") != -1:
            wrong.append("an end of the run")
        passed += faults.tell("textfile_killed", wrong, text[-300:])
    return trials, passed, "files that are cut off, or have an end: 0"


@row(8, short=1, full=10)
def textfile_disk_full(trials):
    """A full disk: said once, the file before is whole, and the newest state is there once there is space."""
    passed = 0
    wrapper = disk.mounted("size=64k", "true")
    for _ in range(trials):
        configure("path: disk/run.prom, interval: 0s")
        process = faults.loop("steps=%d" % (4 * RATE), "rate=%d" % RATE, "pause=%d" % (2 * RATE), wrapper=wrapper)
        faults.first_line(process)
        inside = "/proc/%d/cwd/disk/" % process.pid
        faults.wait_until(lambda: os.path.exists(inside + "run.prom"), "the file")
        with open(inside + "ballast", "wb", buffering=0) as ballast:
            try:
                while ballast.write(b"\0" * 1024):
                    pass
            except OSError:
                pass
        while process.stdout.readline() not in (b"paused\n", b""):
            pass
        said = process.stderr.readline().decode()
        with open(inside + "run.prom") as file:
            wrong = [] if is_whole(file.read()) else ["a file that is cut off while the disk is full"]
        os.remove(inside + "ballast")
        status, _, more = faults.end_of(process, b"\n")
        with open("run.prom") as file:
            text = file.read()
        if not is_whole(text) or value_of(text, "run_exit_status") != 0 or status:
            wrong.append("no end in the file, or ended with %s" % status)
        if said.count("No space left on device") != 1 or "No space left" in more:
            wrong.append("not reported once")
        if "collector" in said:
            wrong.append("advice about the folder, which is not the reason")
        passed += faults.tell("textfile_disk_full", wrong, said + more)
    return trials, passed, "files that are cut off: 0; newest state missing after there was space: 0"
