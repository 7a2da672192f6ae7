# SPDX-License-Identifier: MIT
"""A sweep: what `wandb agent` asks, and the runs that it is told to start, one after the other."""
import json


class Sweep:
    """given: {"id", "config": YAML, "runs": [{"run_id", "program", "args": {NAME: {"value": VALUE}}}]}."""

    def __init__(self, given):
        self.given, self.left = given, list(given["runs"])

    def field(self, sweepName):
        return {"id": "U3dlZXA=", "name": self.given["id"], "method": "grid", "state": "RUNNING",
                "config": self.given["config"], "description": None, "createdAt": None, "heartbeatAt": None,
                "updatedAt": None, "earlyStopJobRunning": False, "bestLoss": None, "controller": None,
                "scheduler": None, "runs": {"edges": []}}

    def create_agent(self, input):
        return {"agent": {"id": "QWdlbnQ6MQ=="}}

    def heartbeat(self, input):
        """The next run when the one before it has ended; then the end of the agent."""
        commands = []
        if not json.loads(input.get("runState") or "{}"):
            commands = [{"id": "c", "type": "run", "logs": [], **self.left.pop(0)} if self.left else
                        {"type": "exit"}]
        return {"agent": {"id": input["id"]}, "commands": json.dumps(commands)}
