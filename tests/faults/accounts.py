# SPDX-License-Identifier: MIT
"""What has to add up in a report. Every report of a log that a row reads is looked at, whatever the row is about."""
MOST = 1e-9  # relative difference

checked, worst = 0, 0.0
violations = []


def number(value):
    return float(value)  # also of "NaN" and "Infinity"


def differ(a, b):
    """The relative difference; of less than a nanosecond it is that of a nanosecond."""
    return abs(a - b) / max(abs(a), abs(b), 1)


def total(report, phase, action):
    return sum(number(r["total_ns"]) for r in report["rows"] if (r["phase"], r["action"]) == (phase, action))


def selves(report):
    """The time that the rows have for themselves: all of fit, but for the batch that was dropped."""
    return sum(number(r["self_ns"]) for r in report["rows"] if r["phase"] != "threads" and r["action"] != "step")


def sums(report):
    """(what, one side, the other) of each identity."""
    yield "accounted + other = fit", number(report["accounted_ns"]) + number(report["other_ns"]), number(report["fit_ns"])
    for r in report["rows"]:
        if r["action"] != "fit":
            yield "%s %s: calls x mean = total" % (r["phase"], r["action"]), r["calls"] * number(r["mean_ns"]), number(r["total_ns"])
    for phase in ("train", "valid"):
        yield phase + ": draw + batch = step", total(report, phase, "draw") + total(report, phase, "batch"), total(report, phase, "step")
    fit, own = number(report["fit_ns"]), selves(report)
    yield "own times = fit", max(own, fit) if report["drop_first_batch"] else own, fit


def check(report):
    global checked, worst
    checked += 1
    for what, a, b in sums(report):
        difference = differ(a, b)
        worst = max(worst, difference)
        if not difference <= MOST:
            violations.append("%s: %.17g and %.17g" % (what, a, b))
    violations.extend("%s %s: less than nothing" % (r["phase"], r["action"]) for r in report["rows"]
                      if not (number(r["min_ns"]) >= 0 and number(r["total_ns"]) >= 0))
