# SPDX-License-Identifier: MIT
# A project takes stepwatch in with add_subdirectory(), or uses what `cmake --install` has installed. `.ci/run cmake` runs it: it
# compiles the library three times, which takes too long for `make check`.
. "$SRCDIR/tests/scripts/common.sh"
have cmake || skip "cmake is not installed"
unset STEPWATCH_PLUGIN_PATH
generator='Unix Makefiles'
! have ninja || generator=Ninja

mkdir project
cp "$SRCDIR/examples/minimal.c" project/loop.c
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(loops C)
add_subdirectory("${STEPWATCH_SOURCE}" stepwatch)
add_executable(loop loop.c)
target_link_libraries(loop stepwatch::stepwatch)
END
mkdir installed
cp project/loop.c installed
sed 's/^add_subdirectory.*/find_package(stepwatch 0.1 REQUIRED COMPONENTS functions memory)/' project/CMakeLists.txt >installed/CMakeLists.txt
cat >stepwatch.yaml <<'END'
profiler: { mode: simple }
logger_callback: [ table, csv: { path: out.csv }, wandb: { mode: offline, dir: . } ]
END

# built FOLDER ARGUMENT...: configures and builds a project.
built()
{
    folder=$1
    shift
    cmake -G "$generator" -S "$folder" -B "$folder/made" -DCMAKE_C_FLAGS=-O0 "$@" >log.txt 2>&1 || fail "cmake for $folder:" "$(tail -n 30 log.txt)"
    cmake --build "$folder/made" -j"$(nproc)" >log.txt 2>&1 || fail "building $folder:" "$(tail -n 30 log.txt)"
}

# runs PROGRAM: the program prints its report, and each sink has its file.
runs()
{
    rm -rf out.csv wandb
    "$1" >out.txt 2>&1 || fail "$1 exits with $?:" "$(cat out.txt)"
    contains out.txt "Profiling Results"
    contains out.csv train,forward,
    test ! -e "$BUILDDIR/sinks/wandb.la" || ls wandb/offline-run-*/run-*.wandb >/dev/null 2>&1 ||
        fail "the sink wandb wrote nothing:" "$(cat out.txt)"
}

built project -DSTEPWATCH_SOURCE="$SRCDIR" -DSTEPWATCH_WERROR=ON -DSTEPWATCH_COMMAND=ON -DSTEPWATCH_INSTALL=ON
runs project/made/loop

# What is installed works without what was built, and after it was moved.
cmake --install project/made --prefix "$scratch/first" >log.txt 2>&1 || fail "cmake --install:" "$(cat log.txt)"
rm -rf project/made/stepwatch
mv first moved
built installed -DCMAKE_PREFIX_PATH="$scratch/moved"
runs installed/made/loop
library=$(find "$scratch/moved" -name libstepwatch.so)
LD_LIBRARY_PATH=${library%/*} moved/bin/stepwatch check stepwatch.yaml >out.txt 2>&1 || fail "the installed command:" "$(cat out.txt)"
LD_LIBRARY_PATH=${library%/*} moved/bin/stepwatch sinks >out.txt 2>&1
contains out.txt "built in"
! grep hidden out.txt || fail "a sink is in the library and a plugin, too"

# The library in the program.
rm -rf project/made
built project -DSTEPWATCH_SOURCE="$SRCDIR" -DBUILD_SHARED_LIBS=OFF
runs project/made/loop
