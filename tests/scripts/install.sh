# SPDX-License-Identifier: MIT
# `make install` installs everything that programs outside of the tree need; `make uninstall` leaves nothing behind.
. "$SRCDIR/tests/scripts/common.sh"

root=$scratch/root
make -s -C "$BUILDDIR" install "DESTDIR=$root" >log.txt 2>&1 || fail "make install:" "$(tail -n 20 log.txt)"

for header in "$SRCDIR"/include/stepwatch/*; do
    case $header in
    */tensorboard.h*) test -e "$BUILDDIR/libstepwatch-tensorboard.la" || continue ;;
    */mpi.h) test -e "$BUILDDIR/libstepwatch-mpi.la" || continue ;;
    */wandb.h) test -e "$BUILDDIR/libstepwatch-wandb.la" || continue ;;
    esac
    find "$root" -name "${header##*/}" | grep -q . || fail "${header##*/} is not installed"
done
PKG_CONFIG_SYSROOT_DIR=$root
LIBDIR=$(dirname "$(find "$root" -name libstepwatch.so)")
PKG_CONFIG_PATH=$LIBDIR/pkgconfig
STEPWATCH_PLUGIN_PATH=$(dirname "$(find "$root" -name csv.so)")
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH STEPWATCH_PLUGIN_PATH
. "$SRCDIR/tests/scripts/out-of-tree.sh"
. "$SRCDIR/tests/scripts/out-of-tree-cmake.sh"

make -s -C "$BUILDDIR" uninstall "DESTDIR=$root" >log.txt 2>&1 || fail "make uninstall:" "$(tail -n 20 log.txt)"
left=$(find "$root" ! -type d)
test -z "$left" || fail "make uninstall leaves" $left

# libtool would fail at the end of `make install` only.
mkdir spaced
configure=$(cd "$SRCDIR" && pwd)/configure
if (cd spaced && "$configure" -q --prefix="$scratch/two words") >log.txt 2>&1; then fail "configure takes a prefix with a space"; fi
contains log.txt "space in its name"
