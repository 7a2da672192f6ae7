# SPDX-License-Identifier: MIT
# debian.sh TARBALL - a release makes Debian packages that lintian accepts and whose files are enough for programs in C
# and in C++. `.ci/run debian` runs it.
#
# CLEAN_ROOT=FOLDER names a separate system (debootstrap FOLDER). The packages are then also installed there with
# apt-get, and tested as Debian tests an installed package. Needs root.
tarball=$(readlink -f "$1")
. "$SRCDIR/tests/scripts/common.sh"
for program in dpkg-buildpackage dh lintian; do
    have $program || skip "$program is not installed"
done

# The source package.
mkdir source
(cd source && tar -xf "$tarball" && dpkg-source -b stepwatch-*/) >log.txt 2>&1 || fail "dpkg-source:" "$(tail -n 30 log.txt)"
lintian --allow-root --fail-on error,warning source/*.dsc >lintian.txt 2>&1 || fail "lintian of the source:" "$(cat lintian.txt)"

# distcheck runs the tests of the release.
tar -xf "$tarball"
cd stepwatch-*/
DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-nocheck parallel=$(nproc)} DPKG_GENSYMBOLS_CHECK_LEVEL=4 \
    dpkg-buildpackage -us -uc -b >../log.txt 2>&1 || fail "dpkg-buildpackage:" "$(tail -n 30 ../log.txt)"
release=$PWD
cd ..

lintian --allow-root --fail-on error,warning stepwatch_*.changes >lintian.txt 2>&1 || fail "lintian:" "$(cat lintian.txt)"

root=$scratch/root
mkdir root
for package in *.deb; do
    dpkg-deb -x "$package" root
done
for package in stepwatch libstepwatch1 libstepwatch-functions1 libstepwatch-memory1 libstepwatch-mpi1 libstepwatch-mpi-dev libstepwatch-tensorboard1 libstepwatch-wandb1 libstepwatch-dev; do
    test -e root/usr/share/doc/$package/copyright || fail "there is no package $package:" *.deb
done

LIBDIR=$(dirname "$(find "$root" -name libstepwatch.so)")
STEPWATCH_PLUGIN_PATH=$LIBDIR/stepwatch/sinks
PKG_CONFIG_SYSROOT_DIR=$root
PKG_CONFIG_PATH=$LIBDIR/pkgconfig
export STEPWATCH_PLUGIN_PATH PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_PATH
. "$SRCDIR/tests/scripts/out-of-tree.sh"
. "$SRCDIR/tests/scripts/out-of-tree-cmake.sh"
LD_LIBRARY_PATH=$LIBDIR "$root/usr/bin/stepwatch" sinks >out.txt || fail "the command exits with $?"
contains out.txt csv markdown runlog table tensorboard trace wandb mlflow sqlite prometheus

if test -n "${CLEAN_ROOT:-}"; then
    mkdir -p "$CLEAN_ROOT/packages"
    cp ./*.deb "$CLEAN_ROOT/packages"
    cp -r "$release" "$CLEAN_ROOT/packages/source"
    env -i PATH="$PATH" DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8 chroot "$CLEAN_ROOT" sh -ec '
        cd /packages
        apt-get -qq -y install --no-install-recommends ./libstepwatch-dev_*.deb ./libstepwatch1_*.deb \
            ./libstepwatch-functions1_*.deb ./libstepwatch-memory1_*.deb ./libstepwatch-tensorboard1_*.deb ./libstepwatch-wandb1_*.deb ./stepwatch_*.deb cmake gcc g++ pkg-config make libc6-dev
        sh source/debian/tests/installed
        stepwatch sinks
        apt-get -qq -y purge stepwatch libstepwatch-dev libstepwatch1 libstepwatch-functions1 libstepwatch-memory1 \
            libstepwatch-tensorboard1 libstepwatch-wandb1
        if find / -xdev -name "*stepwatch*" ! -path "/packages*" ! -path "/proc/*" ! -path "/var/l*" | grep .; then exit 1; fi
    ' >clean.txt 2>&1 || fail "in the clean root:" "$(tail -n 40 clean.txt)"
fi
