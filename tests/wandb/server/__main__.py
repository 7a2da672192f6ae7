# SPDX-License-Identifier: MIT
"""A stand-in for the service on this machine. It stores everything that it receives, and can simulate faults.

When it listens, it prints a line of JSON: url, other (another host), ca (its certificate, or null). Then it reads
commands from standard input, one on each line, and answers each with the line "ok" or "error: ...":

    fault ...      see faults.py          clear          ends all faults
    state          writes DIR/state.json  stop-run       asks all runs to stop
    go-on          ends stop-run          delete-runs    deletes all runs, as on their pages
    another N      another process writes N rows of its own to each run and ends it; another N unnamed: without
                   its name in the config, as an upload of a file does

It exits at the end of standard input (Ctrl-D), or after --limit seconds. DIR/requests.jsonl has every request.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import threading

sys.dont_write_bytecode = True

from faults import Faults
from schema import Schema
from listener import Journal, Listener, Service
from store import Store
from sweep import Sweep


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", required=True, help="folder for everything that is received; created if it does not exist")
    parser.add_argument("--limit", type=float, default=120, help="seconds after which it exits (default: 120)")
    parser.add_argument("--key", help="the only API key that is accepted")
    parser.add_argument("--tls", choices=["self-signed", "wrong-name"])
    parser.add_argument("--storage", choices=["same", "other", "relative"], default="same",
                        help="host of the addresses for uploading files")
    parser.add_argument("--features", type=lambda text: [name for name in text.split(",") if name])
    parser.add_argument("--sweep", help="file with a sweep, see sweep.py, for wandb agent")
    parser.add_argument("--fault", action="append", default=[])
    parser.add_argument("--no-bodies", action="store_true", help="requests.jsonl has no bodies")
    return parser.parse_args()


def certificate(folder, kind):
    """Makes a key and a certificate; returns None if there is no openssl."""
    if not shutil.which("openssl"):
        return None
    key, cert = os.path.join(folder, "key.pem"), os.path.join(folder, "ca.pem")
    name = "IP:127.0.0.1" if kind == "self-signed" else "DNS:elsewhere.example"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
                    "-out", cert, "-subj", "/CN=stand-in", "-addext", f"subjectAltName={name}"],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    return cert, key


class Commands:
    def __init__(self, folder, store, faults, listener):
        self.folder, self.store, self.faults, self.listener = folder, store, faults, listener
        self.is_dead, self.lock = False, threading.Lock()
        self.revive()

    def revive(self):
        """Makes the port as the faults want it."""
        with self.lock:
            dead = self.faults.dead()
            if dead != self.is_dead:
                (self.listener.dead if dead else self.listener.alive)()
                self.is_dead = dead

    def fault(self, text):
        until = self.faults.add(text).options.get("seconds")
        self.revive()
        if until:
            timer = threading.Timer(float(until) + 0.05, self.revive)
            timer.daemon = True
            timer.start()

    def clear(self, _):
        self.faults.clear()
        self.revive()

    def state(self, _):
        path = os.path.join(self.folder, "state.json")
        with self.store.lock, open(path + ".new", "w", encoding="utf-8") as file:
            json.dump(self.store.as_json(), file)
        os.replace(path + ".new", path)

    def stop(self, wanted):
        with self.store.lock:
            for run in self.store.runs.values():
                run.stop = wanted

    def delete(self, _):
        with self.store.lock:
            self.store.delete()

    def another(self, text):
        rows, _, unnamed = text.partition(" ")
        with self.store.lock:
            for run in self.store.runs.values():
                run.take_over(int(rows), not unnamed)

    def do(self, line):
        word, _, rest = line.strip().partition(" ")
        actions = {"fault": self.fault, "clear": self.clear, "state": self.state,
                   "stop-run": lambda _: self.stop(True), "go-on": lambda _: self.stop(False),
                   "delete-runs": self.delete, "another": self.another}
        try:
            actions[word](rest)
            return "ok"
        except (KeyError, ValueError) as error:
            return f"error: {line.strip()}: {error}"


def main():
    given = arguments()
    os.makedirs(given.folder, exist_ok=True)
    timer = threading.Timer(given.limit, os._exit, [3])
    timer.daemon = True
    timer.start()
    pair = certificate(given.folder, given.tls) if given.tls else None
    if given.tls and not pair:
        print(json.dumps({"skip": "openssl is not installed"}), flush=True)
        return
    store, faults = Store(), Faults(given.fault)
    urls = {}

    def address(token):
        base = {"same": urls["url"], "other": urls["other"], "relative": ""}[given.storage]
        return f"{base}/storage/{token}?sig={token[:8]}"

    sweep = None
    if given.sweep:
        with open(given.sweep, encoding="utf-8") as file:
            sweep = Sweep(json.load(file))
    parts = (faults, Service(store, Schema(store, address, given.features, sweep), given.key),
             Journal(given.folder, not given.no_bodies))
    main_one, other = Listener("127.0.0.1", "main", parts, pair), Listener("127.0.0.2", "other", parts)
    main_one.other_url = other.url
    urls.update(url=main_one.url, other=other.url, ca=pair and pair[0])
    commands = Commands(given.folder, store, faults, main_one)
    print(json.dumps(urls), flush=True)
    for line in sys.stdin:
        print(commands.do(line), flush=True)


try:
    main()
except KeyboardInterrupt:
    pass
sys.stdout.flush()
os._exit(0)
