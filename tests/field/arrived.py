# SPDX-License-Identifier: MIT
"""arrived.py WANDB-FOLDER MLFLOW-ADDRESS: prints what the stand-ins have, as facts.sh does."""
import json
import os
import sys
import time
import urllib.request

folder, address = sys.argv[1], sys.argv[2]
for _ in range(50):
    if os.path.exists(os.path.join(folder, "state.json")):
        break
    time.sleep(0.1)
with open(os.path.join(folder, "state.json"), encoding="utf-8") as file:
    for run in json.load(file)["runs"].values():
        rows = run["lines"].get("wandb-history.jsonl", [])
        print(f"wandb: {len(rows)} rows, {run['state']}, exit {run['exitcode']}")
with urllib.request.urlopen(address + "/state", timeout=10) as answer:
    for run in json.load(answer)["runs"].values():
        values = [value for value in run["metrics"] if not value[0].startswith("system/")]
        print(f"mlflow: {len(values)} values, {run['info']['status']}")
