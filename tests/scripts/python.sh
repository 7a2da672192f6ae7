# SPDX-License-Identifier: MIT
# The Python package links the library of this build, and passes its tests. They need no package from PyPI.
. "$SRCDIR/tests/scripts/common.sh"
have python3 || skip "there is no python3"
python3 -c 'import ensurepip, venv' 2>/dev/null || skip "python3-venv is not installed"
python3 -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' ||
    skip "Python.h is not there: python3-dev is not installed"
case $SANITIZER in
*thread*) skip "python3 is not built with the thread sanitizer" ;;
*address*)
    LD_PRELOAD=$("$CC" -print-file-name=libasan.so)
    test -e "$LD_PRELOAD" || LD_PRELOAD=$("$CC" -print-file-name=libclang_rt.asan-x86_64.so)
    test -e "$LD_PRELOAD" || skip "the address sanitizer cannot be loaded into python3"
    ASAN_OPTIONS=detect_leaks=0 # the interpreter keeps what it has allocated
    export ASAN_OPTIONS
    preload="LD_PRELOAD=$LD_PRELOAD"
    unset LD_PRELOAD
    ;;
esac
as_installed
python3 -m venv "$scratch/venv"
# The package is built in its folder's copy: nothing may appear in the tree.
mkdir -p tree/bindings
cp -r "$SRCDIR/bindings/python" tree/bindings
cp "$SRCDIR/configure.ac" tree
chmod -R u+w tree
STEPWATCH_SYSTEM=1 CFLAGS='-Wall -Wextra -Werror' CC=cc "$scratch/venv/bin/python" -m pip --disable-pip-version-check install -q --no-index \
    --no-deps ./tree/bindings/python >install.txt 2>&1 || fail "pip install ./bindings/python:" "$(cat install.txt)"
STEPWATCH_GOLDEN=$SRCDIR/tests/golden
export STEPWATCH_GOLDEN
env ${preload:-} LD_LIBRARY_PATH="$BUILDDIR/.libs" PYTHONDEVMODE=1 "$scratch/venv/bin/python" -W error -m unittest discover -s tree/bindings/python/tests >out.txt 2>&1 ||
    fail "the tests of the Python package:" "$(cat out.txt)"
tail -n 1 out.txt | grep -q '^OK' || fail "the tests of the Python package do not end with OK:" "$(cat out.txt)"
