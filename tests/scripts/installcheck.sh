# SPDX-License-Identifier: MIT
# `make installcheck`: pkg-config finds the installed stepwatch, which finds its own sinks. `make distcheck` runs it.
. "$SRCDIR/tests/scripts/common.sh"
unset STEPWATCH_PLUGIN_PATH
PKG_CONFIG_PATH=$LIBDIR/pkgconfig
export PKG_CONFIG_PATH
. "$SRCDIR/tests/scripts/out-of-tree.sh"
. "$SRCDIR/tests/scripts/out-of-tree-cmake.sh"
