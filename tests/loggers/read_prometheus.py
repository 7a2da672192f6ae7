# SPDX-License-Identifier: MIT
"""read_prometheus.py BUILD SOURCE: a run of the sink prometheus as the real programs read it, compared with its run log.

Prometheus scrapes the page, node_exporter reads the file, the Pushgateway gets the pushes, and promtool reads every text. All of
them are of Debian, listen on free ports of this machine, and end with this program."""
import bisect
import json
import math
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

build, source = (os.path.abspath(path) for path in sys.argv[1:3])
work = tempfile.mkdtemp(prefix="stepwatch-prometheus-")
environment = {k: v for k, v in os.environ.items() if not k.startswith("STEPWATCH")}
environment.update({"STEPWATCH_PLUGIN_PATH": os.path.join(build, "sinks/.libs"), "no_proxy": "*"})
os.environ["no_proxy"] = "*"
LOOP = os.path.join(build, "tests/faults/loop")
PATIENCE = 40
STEPS, PAUSE = 60, 50
processes, mistakes, missing = [], [], []
BOUNDS = [m * 10.0 ** e for e in range(-5, 3) for m in (1, 2.5, 5)]


def expect(holds, what):
    if not holds:
        mistakes.append(what)


def wait_until(holds, what):
    until = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > until:
            raise AssertionError("waited in vain for " + what)
        time.sleep(0.05)


def start(*command, **more):
    name = os.path.basename(command[0])
    with open(os.path.join(work, name + ".log"), "wb") as log:
        more.setdefault("stdout", log)
        process = subprocess.Popen(command, stderr=log, env=environment, cwd=work, **more)
    processes.append(process)
    return process


def get(url):
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def has(program):
    if shutil.which(program):
        return True
    missing.append(program)
    return False


# ---- texts -----------------------------------------------------------------------------------------

SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
LABEL = re.compile(r'([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"')


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: "\n" if found.group(1) == "n" else found.group(1), text)


def samples_of(text):
    """{(name, labels): value} of the families of stepwatch; a series that is there twice is a mistake."""
    found = {}
    for line in text.split("\n"):
        parts = SAMPLE.match(line)
        if line.startswith("#") or not parts or not parts.group(1).startswith("stepwatch_"):
            continue
        labels = {name: unescaped(value) for name, value in LABEL.findall(parts.group(2) or "")}
        if "le" in labels:  # programs write 1, 1.0 or 1e+00
            labels["le"] = str(float(labels["le"]))
        key = (parts.group(1), frozenset(labels.items()))
        expect(key not in found, "twice: %s" % line)
        found[key] = float(parts.group(3))
    return found


def without(samples, *names):
    return {(name, frozenset(pair for pair in labels if pair[0] not in names)): value for (name, labels), value in samples.items()}


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b))


def compare(what, found, wanted):
    """Each value, none more and none less."""
    for key in set(found) | set(wanted):
        one, other = found.get(key), wanted.get(key)
        expect(one is not None and other is not None and same(one, other), "%s: %s is %s, and not %s" % (what, key, one, other))
    expect(len(wanted) > 0, "%s: nothing to compare" % what)


def check_text(what, text):
    """promtool has nothing to say of it."""
    if has("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text.encode(), capture_output=True, timeout=PATIENCE)
        said = (done.stdout + done.stderr).decode()
        expect(done.returncode == 0 and not said, "promtool of %s: %s" % (what, said))


# ---- what the run log says ---------------------------------------------------------------------------

def lines_of(path):
    with open(path, "rb") as log:
        return [json.loads(line) for line in log.read().split(b"\n")[:-1]]


def buckets_of(durations):
    counts = [0] * (len(BOUNDS) + 1)
    for duration in durations:
        counts[bisect.bisect_left(BOUNDS, duration)] += 1
    return [sum(counts[:i + 1]) for i in range(len(counts))]


def from_log(lines, samples):
    """The values that the page must have, by the lines of the steps."""
    steps = [line for line in lines if line["type"] == "step" and line["phase"] == "train"]
    seconds = [(s["durations"]["draw"] + s["durations"]["batch"]) / 1e9 for s in steps]
    values = {("steps_total",): len(steps), ("samples_total",): sum(s["samples"] for s in steps),
              ("step_duration_seconds_count",): len(steps), ("step_duration_seconds_sum",): sum(seconds)}
    for action in ("draw", "batch", "forward", "zero_grad"):
        total = [s["durations"][action] for s in steps]
        values[("action_seconds_total", action)] = sum(total) / 1e9
        values[("action_calls_total", action)] = len(total)
    for (name, *action), value in values.items():
        key = ("stepwatch_" + name, frozenset({("run", "loop"), ("rank", "0"), ("phase", "train")} |
                                              ({("action", action[0])} if action else set())))
        found = samples.get(key, math.nan)
        expect(abs(found - value) <= 1e-9 * max(1, abs(value)), "run log: %s is %s, and not %s" % (key, found, value))
    for bound, count in zip(BOUNDS + [math.inf], buckets_of(seconds)):
        found = [value for (name, labels), value in samples.items() if name == "stepwatch_step_duration_seconds_bucket"
                 and ("phase", "train") in labels and float(dict(labels)["le"]) == float("%.12g" % bound)]
        expect(found == [count], "run log: the bucket up to %s has %s, and not %d" % (bound, found, count))
    losses = [line["value"] for line in lines if line["type"] == "metric" and line["name"] == "train/loss"]
    key = ("stepwatch_metric", frozenset({("run", "loop"), ("rank", "0"), ("name", "train/loss")}))
    expect(samples.get(key) == losses[-1], "the newest loss is %s, and not %s" % (samples.get(key), losses[-1]))


# ---- the programs ------------------------------------------------------------------------------------

def pushgateway_start():
    if not has("prometheus-pushgateway"):
        return None
    port = free_port()
    start("prometheus-pushgateway", "--web.listen-address=127.0.0.1:%d" % port)
    url = "http://127.0.0.1:%d" % port
    wait_until(lambda: get(url + "/-/ready"), "the Pushgateway")
    return url


def node_exporter_start():
    if not has("prometheus-node-exporter"):
        return None
    port = free_port()
    start("prometheus-node-exporter", "--web.listen-address=127.0.0.1:%d" % port, "--collector.disable-defaults",
          "--collector.textfile", "--collector.textfile.directory=" + os.path.join(work, "textfile"))
    return "http://127.0.0.1:%d" % port


def prometheus_start(target):
    if not has("prometheus"):
        return None
    port = free_port()
    with open(os.path.join(work, "prometheus.yml"), "w", encoding="utf-8") as config:
        json.dump({"scrape_configs": [{"job_name": "training", "scrape_interval": "200ms", "scrape_timeout": "200ms",
                                       "static_configs": [{"targets": [target]}]}]}, config)
    start("prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=tsdb", "--web.listen-address=127.0.0.1:%d" % port)
    return "http://127.0.0.1:%d" % port


def query(url, expression):
    """(what is wrong, the vector)."""
    address = url + "/api/v1/query?query=" + urllib.parse.quote(expression)
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return "", json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as answer:
        return answer.read().decode(), []
    except OSError:
        return "", []


def scraped(url):
    """The newest value of each series, as samples_of() has them."""
    found = {}
    for series in query(url, '{__name__=~"stepwatch_.*"}')[1]:
        labels = {k: v for k, v in series["metric"].items() if k not in ("__name__", "job", "instance")}
        if "le" in labels:
            labels["le"] = str(float(labels["le"]))
        found[(series["metric"]["__name__"], frozenset(labels.items()))] = float(series["value"][1])
    return found


# ---- the run -----------------------------------------------------------------------------------------

def configure(gateway):
    push = ', push: "%s", push_interval: 200ms' % gateway if gateway else ""
    with open(os.path.join(work, "stepwatch.yaml"), "w", encoding="utf-8") as out:
        out.write("name: loop\nprofiler: { mode: simple, show_report: false }\nlogger_callback:\n"
                  "  - runlog: { path: run.jsonl }\n"
                  '  - prometheus: { listen: "127.0.0.1:0", path: "textfile/{name}-{rank}.prom", interval: 0s%s }\n' % push)


def address_of(log):
    with open(log, encoding="utf-8") as text:
        found = re.search(r"the metrics are at (http://127\.0\.0\.1:\d+)/metrics", text.read())
    return found.group(1) if found else ""


def is_settled(page):
    steps = [v for (name, labels), v in samples_of(get(page + "/metrics")).items()
             if name == "stepwatch_steps_total" and ("phase", "train") in labels]
    return steps == [PAUSE] and sum(line["type"] == "step" for line in lines_of(os.path.join(work, "run.jsonl"))) == PAUSE


def textfile():
    with open(os.path.join(work, "textfile/loop-0.prom"), encoding="utf-8") as text:
        return text.read()


def while_it_runs(page, prometheus, exporter, gateway):
    """The loop waits, so all of them have the same."""
    text = get(page + "/metrics")
    samples = samples_of(text)
    check_text("the page", text)
    from_log(lines_of(os.path.join(work, "run.jsonl")), samples)
    wait_until(lambda: samples_of(textfile()) == samples, "the file")
    if prometheus:
        wait_until(lambda: scraped(prometheus) == samples, "a scrape of Prometheus")
        compare("Prometheus", scraped(prometheus), samples)
        queries_work(prometheus)
    if exporter:
        compare("node_exporter", samples_of(get(exporter + "/metrics")), samples)
        expect("node_textfile_scrape_error 0" in get(exporter + "/metrics"), "node_exporter reports an error")
    if gateway:
        wait_until(lambda: pushed(gateway) == samples, "a push")
        compare("the Pushgateway", pushed(gateway), samples)


def pushed(gateway):
    return without(samples_of(get(gateway + "/metrics")), "job", "instance")


def at_the_end(page, prometheus, exporter, gateway):
    """The page is gone, and its series are stale; the file and the Pushgateway have the end."""
    samples = samples_of(textfile())
    check_text("the file", textfile())
    ends = [value for (name, _), value in samples.items() if name in ("stepwatch_run_end_time_seconds", "stepwatch_run_exit_status")]
    expect(len(ends) == 2 and 0 in ends and max(ends) > 1e9, "the end in the file: %s" % ends)
    expect(get(page + "/metrics") == "", "the page is still there")
    if prometheus:
        wait_until(lambda: not scraped(prometheus), "series to become stale")
    if exporter:
        compare("node_exporter after the end", samples_of(get(exporter + "/metrics")), samples)
    if gateway:
        compare("the Pushgateway after the end", pushed(gateway), samples)


def run():
    os.mkdir(os.path.join(work, "textfile"))
    gateway, exporter = pushgateway_start(), node_exporter_start()
    configure(gateway)
    loop = start(LOOP, "stepwatch.yaml", "steps=%d" % STEPS, "pause=%d" % PAUSE, "rate=500", stdin=subprocess.PIPE)
    log = os.path.join(work, "loop.log")
    wait_until(lambda: address_of(log), "the address of the page")
    prometheus = prometheus_start(address_of(log)[len("http://"):])
    page = address_of(log)
    wait_until(lambda: is_settled(page), "the page to have %d steps" % PAUSE)
    while_it_runs(page, prometheus, exporter, gateway)
    loop.communicate(b"\n", timeout=PATIENCE)
    expect(loop.returncode == 0, "the loop ended with %s" % loop.returncode)
    at_the_end(page, prometheus, exporter, gateway)


# ---- documents ---------------------------------------------------------------------------------------

def queries():
    """Of the page of documentation and of the dashboard for Grafana: (where, query)."""
    with open(os.path.join(source, "docs/prometheus/dashboard.json"), encoding="utf-8") as text:
        dashboard = json.load(text)
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield "dashboard.json: " + panel["title"], target["expr"].replace("$run", ".*").replace("$__rate_interval", "1m")
    with open(os.path.join(source, "docs/prometheus.md"), encoding="utf-8") as text:
        for line in text:
            found = re.match(r"\| [^|]+ \| `([^`]*stepwatch_[^`]*)` \|$", line)
            if found:
                yield "prometheus.md", found.group(1)


def queries_work(prometheus):
    count = 0
    for where, expression in queries():
        wrong, _ = query(prometheus, expression)
        expect(not wrong, "%s: %s: %s" % (where, expression, wrong))
        if where.startswith("dashboard"):
            wait_until(lambda: query(prometheus, expression)[1], "data of " + where)
        count += 1
    expect(count > 8, "%d queries in the documents" % count)


def names_exist(samples):
    """Each query names series of the page."""
    known = {name for name, _ in samples}
    for where, expression in queries():
        names = set(re.findall(r"\bstepwatch_\w+", expression))
        expect(names and names <= known, "%s: there is no %s" % (where, ", ".join(names - known)))


# ---- odd names ---------------------------------------------------------------------------------------

def golden():
    """A log with odd names, values that are no numbers and a cancelled step, as another program writes it."""
    with open(os.path.join(work, "replay.yaml"), "w", encoding="utf-8") as out:
        out.write("name: digits\nprofiler: { mode: simple, show_report: false }\n"
                  "logger_callback: [ prometheus: { path: replayed.prom } ]\n")
    subprocess.run([os.path.join(build, "tests/tools/stepwatch"), "replay", os.path.join(source, "tests/golden/mlflow/run.jsonl"),
                    "--config", "replay.yaml"], env=environment, cwd=work, check=True, timeout=PATIENCE, capture_output=True)
    with open(os.path.join(work, "replayed.prom"), encoding="utf-8") as text:
        found = text.read()
    with open(os.path.join(source, "tests/golden/prometheus/run.prom"), encoding="utf-8") as text:
        wanted = text.read()
    check_text("the replayed log", found)
    heads = {line for line in wanted.split("\n") if line.startswith("#")}
    expect(heads <= set(found.split("\n")), "a HELP or TYPE differs: %s" % (heads - set(found.split("\n"))))
    families = {name for name, _ in samples_of(wanted)}
    pick = without({key: value for key, value in samples_of(found).items() if key[0] in families}, "program")
    compare("the replayed log", pick, without(samples_of(wanted), "program"))
    names_exist(samples_of(found))


def end_all():
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            process.wait()
    shutil.rmtree(work, ignore_errors=True)


try:
    golden()
    run()
finally:
    end_all()
for program in sorted(set(missing)):
    print("SKIP: the sink prometheus: %s is not installed" % program)
for mistake in mistakes[:20]:
    print("read_prometheus.py: " + mistake, file=sys.stderr)
sys.exit(1 if mistakes else 0)
