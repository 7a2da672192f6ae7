# SPDX-License-Identifier: MIT
"""A sweep: what `wandb agent` asks, and the runs that it is told to start, one after the other."""
import json


class Sweep:
    """given: {"id", "config": YAML, "runs": [{"run_id", "program", "args": {NAME: {"value": VALUE}}}],
    "stop": {"run_id", "beat": the agent is told to stop it when it says for the so many-th time that it runs}}."""

    def __init__(self, given):
        self.given, self.left, self.beats = given, list(given["runs"]), 0

    def field(self, sweepName):
        return {"id": "U3dlZXA=", "name": self.given["id"], "method": "grid", "state": "RUNNING",
                "config": self.given["config"], "description": None, "createdAt": None, "heartbeatAt": None,
                "updatedAt": None, "earlyStopJobRunning": False, "bestLoss": None, "controller": None,
                "scheduler": None, "runs": {"edges": []}}

    def create_agent(self, input):
        return {"agent": {"id": "QWdlbnQ6MQ=="}}

    def heartbeat(self, input):
        """The next run when the one before it has ended; then the end of the agent."""
        commands, stop = [], self.given.get("stop")
        running = json.loads(input.get("runState") or "{}")
        if stop and stop["run_id"] in running:
            self.beats += 1
            if self.beats == stop["beat"]:
                commands = [{"id": "s", "type": "stop", "run_id": stop["run_id"]}]
        if not running:
            commands = [{"id": "c", "type": "run", "logs": [], **self.left.pop(0)} if self.left else
                        {"type": "exit"}]
        return {"agent": {"id": input["id"]}, "commands": json.dumps(commands)}
