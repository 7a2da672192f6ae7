# SPDX-License-Identifier: MIT
# python.sh [frameworks | wheel]: the Python package links the library of this build, and passes its tests. They need no package from
# PyPI. With `frameworks`, they run with Lightning, fastai, torch, transformers, accelerate, Jupyter and mypy, which takes minutes and
# gigabytes: `.ci/run python` does that. With `wheel`, a wheel is built from a source distribution, with the library inside.
. "$SRCDIR/tests/scripts/common.sh"
have python3 || skip "there is no python3"
python3 -c 'import ensurepip, venv' 2>/dev/null || skip "python3-venv is not installed"
python3 -c 'import os, sysconfig, sys; sys.exit(not os.path.exists(sysconfig.get_paths()["include"] + "/Python.h"))' ||
    skip "Python.h is not there: python3-dev is not installed"
case $SANITIZER in
*thread*) skip "python3 is not built with the thread sanitizer" ;;
*address*)
    # clang finds the other compiler's, too
    LD_PRELOAD=$("$CC" -print-file-name=libclang_rt.asan-x86_64.so)
    test -e "$LD_PRELOAD" || LD_PRELOAD=$("$CC" -print-file-name=libasan.so)
    test -e "$LD_PRELOAD" || skip "the address sanitizer cannot be loaded into python3"
    # The interpreter keeps what it has allocated; and the tests want no message about signals.
    ASAN_OPTIONS=detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0
    export ASAN_OPTIONS
    preload="LD_PRELOAD=$LD_PRELOAD"
    unset LD_PRELOAD
    ;;
esac
test "${1:-}" = wheel || as_installed
STEPWATCH_GOLDEN=$SRCDIR/tests/golden
export STEPWATCH_GOLDEN

# The package is built in a copy of its folder: nothing may appear in the tree.
mkdir -p tree/bindings
cp -r "$SRCDIR/bindings/python" tree/bindings
cp "$SRCDIR/configure.ac" tree
chmod -R u+w tree

# installed PYTHON: installs the package for an interpreter, into a folder of its own.
installed()
{
    rm -rf site
    STEPWATCH_SYSTEM=1 CFLAGS='-Wall -Wextra -Werror' CC=cc "$1" -m pip --disable-pip-version-check install -q --no-index --no-deps \
        --target site ./tree/bindings/python >install.txt 2>&1 || fail "pip install ./bindings/python:" "$(cat install.txt)"
}

# runs PYTHON ARGUMENT...: runs a program with the package.
runs()
{
    env ${preload:-} PYTHONPATH="$scratch/site" PYTHONDONTWRITEBYTECODE=1 LD_LIBRARY_PATH="$BUILDDIR/.libs" "$@" >out.txt 2>&1 ||
        fail "$*:" "$(cat out.txt)"
}

# tested PYTHON FLAG...: the tests pass, and say so on their last line.
tested()
{
    runs "$@" -m unittest discover -s tree/bindings/python/tests
    tail -n 1 out.txt | grep -q '^OK' || fail "the tests of the Python package do not end with OK:" "$(cat out.txt)"
}

if test "${1:-}" = frameworks; then
    export OMP_NUM_THREADS=1 STEPWATCH_OBSERVER=1 TORCH_EXTENSIONS_DIR="$scratch/torch" VENV_SECONDS=500
    for of in lightning fastai; do
        case $of in
        lightning) packages='numpy<2 torch==2.3.* lightning==2.4.* ninja psutil setuptools pandas nbclient ipykernel mypy' ;;
        fastai)
            packages='numpy<2 torch==2.3.* transformers==4.30.* accelerate<0.25 fastcore<1.6 fastprogress fastdownload'
            packages="$packages pandas matplotlib scipy pillow pyyaml requests scikit-learn spacy packaging ninja setuptools"
            ;;
        esac
        PATH=$BUILDDIR/venv-$of/bin:$PATH # ninja
        python=$BUILDDIR/venv-$of/bin/python
        "$SRCDIR/build-aux/venv" "$BUILDDIR/venv-$of" $packages || exit $?
        # fastai asks for an older torch, which it does not need.
        test $of = lightning || "$python" -m pip --disable-pip-version-check install -q --no-deps fastai==2.7.12 'torchvision==0.18.*' >log.txt 2>&1 ||
            skip "fastai cannot be installed:" "$(tail -n 3 log.txt)"
        installed "$python"
        tested "$python" -W ignore
        test $of = fastai || (cd tree/bindings/python && "$python" -m mypy) >mypy.txt 2>&1 || fail "mypy --strict:" "$(cat mypy.txt)"
        runs "$python" -W ignore "$SRCDIR/examples/python/digits_$of.py"
    done
    runs "$python" -W ignore "$SRCDIR/examples/python/digits_transformers.py"
    exit 0
fi

python3 -m venv "$scratch/venv"
if test "${1:-}" = wheel; then
    have cmake || skip "cmake is not installed"
    unset STEPWATCH_PLUGIN_PATH
    python=$scratch/venv/bin/python
    mkdir sdist 'a folder'
    "$python" -B -c "import sys; sys.path[:0] = ['$SRCDIR/bindings/python/backend']
import stepwatch_build; stepwatch_build.build_sdist('sdist')" || fail "the source distribution cannot be made"
    TMPDIR="$scratch/a folder" "$python" -m pip --disable-pip-version-check install -q --no-index --no-deps sdist/*.tar.gz >install.txt 2>&1 ||
        fail "pip install of the source distribution:" "$(tail -n 30 install.txt)"
    printf 'profiler: simple\nlogger_callback: [ table, csv: { path: out.csv } ]\n' >stepwatch.yaml
    "$scratch/venv/bin/stepwatch" run -- "$python" "$SRCDIR/examples/python/digits.py" >out.txt 2>&1 || fail "the installed wheel:" "$(cat out.txt)"
    contains out.txt "Profiling Results" out.csv
    contains out.csv train,forward,
    "$scratch/venv/bin/stepwatch" sinks >out.txt
    contains out.txt "built in"
    "$python" -m stepwatch sinks | cmp - out.txt || fail "python -m stepwatch is not the command of the wheel"
    ! grep hidden out.txt || fail "a sink is in the wheel's library and a plugin, too"
    exit 0
fi
installed "$scratch/venv/bin/python"
tested "$scratch/venv/bin/python" -X dev -W error
runs "$scratch/venv/bin/python" "$SRCDIR/examples/python/digits.py"
contains out.txt "digits were read correctly" "Profiling Results" softmax

# The command measures a program that imports the package.
test -z "${preload:-}" || skip "the rest: the command has a sanitizer of its own, and python3 needs it preloaded"
cat >program.py <<'END'
import stepwatch
with stepwatch.open() as sw, sw.fit, sw.region("work"):
    pass
END
runs "$BUILDDIR/tests/tools/stepwatch" run --set mode=simple -- "$scratch/venv/bin/python" program.py
contains out.txt work
