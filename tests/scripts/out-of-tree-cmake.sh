# SPDX-License-Identifier: MIT
# out-of-tree-cmake.sh - the same with CMake: builds a copy of examples/cmake, and checks the answers of find_package().
# For install.sh and installcheck.sh, which set LIBDIR; the tree may have been moved after the installation.
#
# A project without a language takes a tenth of the time.

# asked ARGUMENT...: writes the result of find_package(stepwatch ARGUMENT...) to answer.txt.
asked()
{
    rm -rf asked
    mkdir asked
    {
        echo 'cmake_minimum_required(VERSION 3.13)'
        echo 'project(asked NONE)'
        echo 'set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS TRUE)'
        echo "find_package(stepwatch $* QUIET CONFIG PATHS \"$LIBDIR/cmake/stepwatch\" NO_DEFAULT_PATH)"
        echo 'message("found: ${stepwatch_FOUND}")'
        echo 'message("version: ${stepwatch_VERSION}")'
        echo 'message("why: ${stepwatch_NOT_FOUND_MESSAGE}")'
        echo 'message("sinks: ${stepwatch_SINK_DIR}")'
    } >asked/CMakeLists.txt
    cmake -S asked -B asked/made >answer.txt 2>&1 || fail "cmake:" "$(cat answer.txt)"
}

# A minimal project with the lines of the README.
by_the_readme()
{
    mkdir readme
    {
        echo 'cmake_minimum_required(VERSION 3.13)'
        echo 'project(loop C)'
        echo 'add_executable(loop loop.c)'
        awk '/^```/ { inside = 0 } inside { print } /^```cmake/ { inside = 1 }' "$SRCDIR/README.md"
    } >readme/CMakeLists.txt
    contains readme/CMakeLists.txt find_package
    cp "$SRCDIR/examples/minimal.c" readme/loop.c
    { cmake -S readme -B readme/made -Dstepwatch_DIR="$LIBDIR/cmake/stepwatch" -DCMAKE_C_FLAGS="$SANITIZER" &&
        cmake --build readme/made; } >log.txt 2>&1 || fail "the README's lines for CMake:" "$(cat log.txt)"
    STEPWATCH=off readme/made/loop || fail "the README's loop by CMake exits with $?"
}

by_cmake()
{
    mkdir copy
    cp -r "$SRCDIR/examples/cmake" "$SRCDIR/examples/custom_sink" "$SRCDIR"/examples/*.c* copy
    chmod -R u+w copy
    cmake -S copy/cmake -B made -DCMAKE_PREFIX_PATH="$(dirname "$LIBDIR")" -Dstepwatch_DIR="$LIBDIR/cmake/stepwatch" \
        -DCMAKE_C_FLAGS="$SANITIZER" -DCMAKE_CXX_FLAGS="$SANITIZER" >log.txt 2>&1 || fail "cmake:" "$(cat log.txt)"
    cmake --build made >log.txt 2>&1 || fail "cmake --build:" "$(cat log.txt)"

    printf 'profiler: simple\nplugin_path: made\nlogger_callback: [csv: { path: out.csv }, best: { metric: train/loss }]\n' \
        >stepwatch.yaml
    for program in loop loop_cxx; do
        "made/$program" >out.txt 2>&1 || fail "$program by CMake exits with $?:" "$(cat out.txt)"
        contains out.txt "Profiling Results" forward
        contains out.csv train,forward,
        rm out.csv
    done
    if test -e "$LIBDIR/libstepwatch-tensorboard.so"; then
        made/curve runs/by-cmake || fail "curve by CMake exits with $?"
        ls runs/by-cmake | grep -q events.out.tfevents || fail "curve by CMake wrote no event file"
    fi
}

answers()
{
    version=$(pkg-config --modversion stepwatch)
    for wanted in "" "$version" "$version EXACT" 0.1 0.1...2; do
        asked "$wanted"
        contains answer.txt "found: 1" "version: $version"
        test -e "$(sed -n 's/^sinks: //p' answer.txt)/csv.so" || fail "stepwatch_SINK_DIR has no sink:" "$(cat answer.txt)"
    done
    for wanted in 0.0.1 0.2 1 99 "0.1 EXACT" 0.0.1...\<0.1 1...2; do
        asked "$wanted"
        grep -q "^found: 0" answer.txt || fail "find_package(stepwatch $wanted) takes $version:" "$(cat answer.txt)"
    done
    asked 0.1 COMPONENTS chart
    contains answer.txt "found: 0" 'has no component "chart"'
}

if have cmake; then
    mkdir cmake
    cd cmake
    answers
    by_cmake
    by_the_readme
    cd ..
else
    echo "SKIP: $name: find_package(stepwatch) (cmake is not installed)"
fi
