# SPDX-License-Identifier: MIT
"""The service's GraphQL schema: as much of it as wandb 0.31 asks for, as objects for graphql.py."""
import base64
import hashlib
import json
import time

import store as kept
from graphql import Refused
from reading import reading

FEATURES = ["LARGE_FILENAMES", "CLIENT_IDS", "STRUCTURED_CONSOLE_LOGS", "MARK_RUN_FILES_UPLOADED",
            "TOTAL_COUNT_IN_FILE_CONNECTION"]
UPLOAD_HEADER = "X-Fake-Upload:1"


def dump(value):
    """JSON text; what is not finite becomes a string, as the service has it."""
    def finite(one):
        if isinstance(one, dict):
            return {name: finite(item) for name, item in one.items()}
        if isinstance(one, list):
            return [finite(item) for item in one]
        if isinstance(one, float) and one in (float("inf"), float("-inf")) or one != one:
            return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}[str(one)]
        return one
    return json.dumps(finite(value))


class Schema:
    def __init__(self, store, address, features=None, sweep=None):
        """address: called with a token, gives the URL to put its bytes at."""
        self.store, self.address, self.sweep = store, address, sweep
        self.features = FEATURES if features is None else features

    def roots(self):
        return {"query": self.query(), "mutation": self.mutation()}

    # ---- what is asked

    def query(self):
        return {"viewer": self.viewer(), "model": self.project, "project": self.project,
                "entity": lambda name=None: {"organization": None, "name": name},
                "serverInfo": {"features": [{"name": name, "isEnabled": True} for name in self.features]}}

    def viewer(self):
        user, entity = self.store.user, self.store.entity
        return {"id": kept.identifier("User", "1"), "name": user, "username": user, "entity": entity,
                "email": f"{user}@example.com", "admin": False, "deletedAt": None,
                "flags": json.dumps({"code_saving_enabled": False}), "apiKeys": {"edges": []},
                "teams": {"edges": [{"node": {"name": entity}}]}}

    def project(self, name=None, entityName=None):
        entity, name = entityName or self.store.entity, name or "uncategorized"
        project = name
        runs = [run for run in self.store.runs.values() if (run.entity, run.project) == (entity, name)]
        if not runs and not self.sweep:
            return None

        def one(name, missingOk=False):
            found = self.store.run(entity, project, name)
            return self.run(found) if found else None

        def many(first=50, after=None, order=None, filters=None):
            edges = [{"node": self.run(run), "cursor": str(n)} for n, run in enumerate(runs, 1)]
            return page(edges)

        return {"id": kept.identifier("Project", "v1", name, entity), "internalId": "668074250", "name": name,
                **({"sweep": self.sweep.field} if self.sweep else {}),
                "readOnly": False, "runCount": lambda filters=None: len(runs), "run": one, "runs": many,
                "bucket": one, "artifact": lambda name=None, **_: None,
                "entity": {"id": kept.identifier("Entity", entity), "name": entity}}

    def bucket(self, run):
        return {"id": run.id, "name": run.name, "displayName": run.fields["displayName"],
                "description": run.fields.get("description"), "config": dump(run.config),
                "sweepName": run.fields.get("sweep"), "historyLineCount": run.count(kept.HISTORY),
                "project": {"id": kept.identifier("Project", "v1", run.project, run.entity),
                            "name": run.project,
                            "entity": {"id": kept.identifier("Entity", run.entity), "name": run.entity}}}

    def run(self, run):
        user, fields = self.store.user, run.fields
        return {**self.bucket(run), **reading(run, self.address, self.store), "projectId": "668074250",
                "tags": fields["tags"], "notes": fields.get("notes"), "group": fields.get("groupName"),
                "jobType": fields.get("jobType"), "commit": fields.get("commit"), "readOnly": False,
                "host": fields.get("host"), "state": run.state, "stopped": run.stop,
                "createdAt": kept.stamp(run.created),
                "heartbeatAt": kept.stamp(run.posts[-1] if run.posts else run.created),
                "user": {"name": user, "username": user}, "summaryMetrics": dump(run.summary()),
                "systemMetrics": dump(system(run)),
                "wandbConfig": lambda keys: dump(only(run.config.get("_wandb", {}).get("value", {}), keys)),
                "eventsLineCount": run.count(kept.EVENTS), "logLineCount": run.count(kept.OUTPUT),
                "historyTail": json.dumps(run.text(kept.HISTORY)[-1:]),
                "eventsTail": json.dumps(run.text(kept.EVENTS)[-1:])}

    # ---- what is changed

    def mutation(self):
        sweep = {"createAgent": self.sweep.create_agent,
                 "agentHeartbeat": self.sweep.heartbeat} if self.sweep else {}
        return {**sweep, "upsertBucket": self.upsert_bucket, "createRunFiles": self.create_run_files,
                "markRunFilesUploaded": self.mark_uploaded, "notifyScriptableRunAlert": self.alert,
                "createArtifact": self.create_artifact, "commitArtifact": self.commit_artifact,
                "createArtifactManifest": self.create_manifest,
                "createArtifactFiles": self.create_artifact_files}

    def upsert_bucket(self, input):
        run, new = self.store.upsert(input)
        return {"bucket": self.bucket(run), "inserted": new}

    def known_run(self, input):
        run = self.store.run(input.get("entityName"), input.get("projectName"), input["runName"])
        if not run:
            raise Refused(f"run {input['runName']} not found during {input.get('projectName')}")
        return run

    def create_run_files(self, input):
        run = self.known_run(input)

        def file(name):
            token = self.store.place(run.id, name,
                                     keep=lambda content: run.files.__setitem__(name, content))
            return {"name": name, "uploadUrl": self.address(token)}

        # The order is not that of the question.
        return {"runID": run.id, "uploadHeaders": [UPLOAD_HEADER],
                "files": [file(name) for name in reversed(input["files"])]}

    def mark_uploaded(self, input):
        self.known_run(input).uploaded += input["files"]
        return {"success": True}

    def alert(self, input):
        self.known_run(input).alerts.append(input)
        return {"success": True}

    # ---- artifacts, in the order of the calls

    def create_artifact(self, input):
        for known in self.store.artifacts.values():
            if known["digest"] == input["digest"] and known["state"] == "COMMITTED":
                return {"artifact": {**known, "artifactSequence": {"latestArtifact": None}}}
        number = len(self.store.artifacts) + 1
        artifact = {"id": kept.identifier("Artifact", str(number)), "state": "PENDING", "input": input,
                    "digest": input["digest"], "files": {}, "manifest": None}
        self.store.artifacts[artifact["id"]] = artifact
        return {"artifact": {**artifact, "artifactSequence": {"latestArtifact": None}}}

    def upload(self, artifact, name, md5, store_in):
        """Where to put a file whose MD5 was told before."""
        def keep(content):
            if base64.b64encode(hashlib.md5(content).digest()).decode() != md5:
                artifact["wrong"] = name
            store_in(content.decode("utf-8", "replace"))
        return self.store.place(artifact["id"], name, keep=keep)

    def create_manifest(self, input):
        artifact = self.store.artifacts[input["artifactID"]]
        token = self.upload(artifact, input["name"], input["digest"],
                            lambda text: artifact.__setitem__("manifest", text))
        return {"artifactManifest": {"id": f"M:{artifact['id']}",
                                     "file": {"id": token, "uploadUrl": self.address(token),
                                              "uploadHeaders": [UPLOAD_HEADER]}}}

    def create_artifact_files(self, input):
        def node(file):
            artifact = self.store.artifacts[file["artifactID"]]
            token = self.upload(artifact, file["name"], file["md5"],
                                lambda text: artifact["files"].__setitem__(file["name"], text))
            return {"node": {"storagePath": f"wandb_artifacts/{token}", "uploadUrl": self.address(token),
                             "uploadHeaders": [UPLOAD_HEADER], "uploadMultipartUrls": None,
                             "artifact": {"id": artifact["id"]}}}
        return {"files": {"edges": [node(file) for file in input["artifactFiles"]]}}

    def commit_artifact(self, input):
        artifact = self.store.artifacts[input["artifactID"]]
        artifact.update(state="COMMITTED", committed=time.time())
        return {"artifact": {"id": artifact["id"], "digest": artifact["digest"]}}


def system(run):
    """The last value of each metric of the system."""
    texts = run.text(kept.EVENTS)[-1:]
    return {name: value for text in texts for name, value in json.loads(text).items()
            if name.startswith("system.")}


def only(config, keys):
    return {name: config[name] for name in keys if name in config}


def page(edges):
    return {"edges": edges, "pageInfo": {"endCursor": edges[-1]["cursor"] if edges else None,
                                         "hasNextPage": False}}
