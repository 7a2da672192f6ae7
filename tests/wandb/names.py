# SPDX-License-Identifier: MIT
"""Names that recorded operations gave to the fields of their inputs, where these have others; None: it is none."""
INPUT = {"upsertBucket": {"project": "modelName", "entity": "entityName", "group": "groupName",
                          "program": "jobProgram", "repo": "jobRepo"},
         "createRunFiles": {"project": "projectName", "entity": "entityName", "run": "runName"},
         "createArtifactManifest": {"manifestType": "type", "includeUpload": None}}
