# SPDX-License-Identifier: MIT
# Every public header compiles alone, silently, as C11, C17, C++11 and C++17, with gcc and clang.
. "$SRCDIR/tests/scripts/common.sh"

# compiles COMPILER LANGUAGE STANDARD HEADER
compiles()
{
    echo "#include <stepwatch/$4>" >alone.source
    silent $1 -x "$2" "-std=$3" -Wall -Wextra -Wpedantic -Wconversion -Werror \
        -I "$SRCDIR/include" -fsyntax-only alone.source
}

as_c()
{
    compiles "$1" c c11 "$2"
    compiles "$1" c c17 "$2"
}

as_cxx()
{
    compiles "$1" c++ c++11 "$2"
    compiles "$1" c++ c++17 "$2"
}

count=0
for path in "$SRCDIR"/include/stepwatch/*.h*; do
    header=${path##*/}
    case $header in
    *.h)
        as_c "$CC" "$header"
        if have clang; then as_c clang "$header"; fi ;;
    esac
    as_cxx "$CXX" "$header"
    if have clang++; then as_cxx clang++ "$header"; fi
    count=$((count + 1))
done
test $count -ge 6 || fail "expected at least 6 headers in include/stepwatch, found $count"
