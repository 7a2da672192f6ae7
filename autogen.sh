#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure. Needed in a git clone only; a release tarball has it.
set -e
cd "$(dirname "$0")"
mkdir -p m4 build-aux
autoreconf --install --warnings=all
