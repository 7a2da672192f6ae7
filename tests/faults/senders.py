# SPDX-License-Identifier: MIT
"""What the loop notices of a server that is away, for the sinks that send to one."""
import time

import faults

RATE = 200
# Of a step, by a server that is mute: on a loaded machine a thousandth of the steps is late in any case.
LATER_MS = 0.1
# close_timeout of those that are never answered, and how long the end may take.
CLOSE, END_S = "5s", 5.5


def quantile_ms(path, share):
    times = sorted(faults.read_stamps(path))
    return times[int(len(times) * share)] / 1e6


def alone_ms(steps, rate, share):
    """Of the same loop without a sink that sends."""
    faults.write_config(["table: { path: table.txt }"])
    status, _, said = faults.run_loop("steps=%d" % steps, "rate=%d" % rate, "times=alone")
    assert status == 0, said
    return quantile_ms("alone", share)


def outages(trials, outage, what):
    """outage: of a number of seconds and a trial, gives (whether all went well, ms of p99, steps)."""
    seconds, passed, extra = 60 if trials > 1 else 1, 0, []
    alone = alone_ms(2000 if trials > 1 else 100, RATE, 0.99)
    for trial in range(trials):
        well, p99, steps = outage(seconds, trial)
        passed += well
        extra.append(p99 - alone)
    return trials, passed, "%d s away, %d %s: lost or doubled 0; p99 of a step %.3f ms more than without a sink" % (
        seconds, steps, what, max(extra))


def mute(name, trials, away):
    """away: of a trial, a context with a configuration and a mute server. It gives the server and the loop's environment."""
    steps, rate, slower, passed = 20000 if trials > 1 else 1000, 2000, [], 0
    for trial in range(trials):
        alone = alone_ms(steps, rate, 0.999)
        with away(trial) as (_, env):
            status, _, said = faults.run_loop("steps=%d" % steps, "rate=%d" % rate, "times=times", env=env)
        wrong = ["ended with %s" % status] if status != 0 or faults.sanitized(said) else []
        slower.append(quantile_ms("times", 0.999) - alone)
        if trials > 1 and slower[-1] >= LATER_MS:
            wrong.append("p99.9 of a step is %.3f ms, %.3f ms without a sink" % (alone + slower[-1], alone))
        passed += faults.tell(name, wrong, said)
    return trials, passed, "p99.9 of %d steps at most %.3f ms more than without a sink" % (steps, max(slower))


def never_back(name, trials, away, uploaded, what):
    """away: as in mute(), without a trial. uploaded: of the server, what the loop has said, and a list of what is wrong: makes the server
    answer, uploads what the loop has left, and gives how many steps arrived."""
    passed, slowest = 0, 0
    for _ in range(trials):
        wrong = []
        with away() as (server, env):
            process = faults.loop("steps=%d" % RATE, "rate=%d" % RATE, "stamps=stamps", env=env)
            status, _, said = faults.end_of(process)
            seconds = (time.monotonic_ns() - faults.read_stamps("stamps")[-1]) / 1e9
            steps = uploaded(server, said, wrong)
        if status != 0 or faults.sanitized(said) or steps != RATE:
            wrong.append("ended with %s, %d steps of %d" % (status, steps, RATE))
        if trials > 1 and seconds > END_S:
            wrong.append("ended after %.1f s" % seconds)
        passed += faults.tell(name, wrong, said)
        slowest = max(slowest, seconds)
    return trials, passed, "ended %.2f s after its last step at most (close_timeout %s); %s: all %d" % (slowest, CLOSE, what, RATE)
