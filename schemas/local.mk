# SPDX-License-Identifier: MIT
# What each command prints with --json; tests/scripts/schemas.sh compares.
if HAVE_JANSSON
schemasdir        = $(pkgdatadir)/schemas
dist_schemas_DATA = \
    %D%/capture.schema.json \
    %D%/check.schema.json \
    %D%/compare.schema.json \
    %D%/explain.schema.json \
    %D%/export.schema.json \
    %D%/functions.schema.json \
    %D%/init.schema.json \
    %D%/merge.schema.json \
    %D%/monitors.schema.json \
    %D%/replay.schema.json \
    %D%/report.schema.json \
    %D%/run.schema.json \
    %D%/runs.schema.json \
    %D%/schedule.schema.json \
    %D%/sinks.schema.json \
    %D%/sync.schema.json \
    %D%/watch.schema.json
endif
EXTRA_DIST += tests/scripts/schemas.sh tests/scripts/schemas/check.py
EXTRA_DIST += docs/for-agents.md tests/scripts/for-agents.sh tests/scripts/schemas/page.py
