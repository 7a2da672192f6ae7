#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes ./configure. Needed in a git clone only; a release tarball has it.
set -e
cd "$(dirname "$0")"
# aclocal.m4 has libtool's macros itself: no folder m4/, which libtoolize would like to see.
LIBTOOLIZE="${LIBTOOLIZE:-libtoolize} --quiet"
export LIBTOOLIZE
autoreconf --install --warnings=all
