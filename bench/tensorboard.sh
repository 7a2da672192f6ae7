#!/bin/sh
# SPDX-License-Identifier: MIT
# tensorboard.sh SOURCE BUILD - compares the writers of event files in one run that writes to memory.
set -eu
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$2/bench/tensorboard" "$scratch"
"$1/build-aux/venv" "$2/venv" tensorboard tensorboardX || test $? = 77 || exit 1
if test -x "$2/venv/bin/python"; then
    "$2/venv/bin/python" "$1/bench/tensorboard_peers.py" "$scratch"
fi
