# SPDX-License-Identifier: MIT
# guide.sh GUIDE - follows a page of docs/ like a reader who has installed stepwatch, in one folder, from the first block to
# the last:
#
#   ```c, ```yaml   if it begins with "/* NAME.c" or "# NAME.yaml", it is written to that file. Otherwise C is part of a
#                   program and must compile with a `struct sw_profiler *sw`, and YAML must have no mistakes
#   ```cpp, ```cmake, ```make, ```meson
#                   if it begins with "// NAME.cpp", "# CMakeLists.txt" and so on, it is written to that file
#   ```sh           is run and must succeed
#   ```text         is the exact output of the block before it
#   ```report       is a part of the report that the block before it prints: it has no other rows
#
# Other blocks (```console, ```python, ``` alone) are only for reading.
guide=$SRCDIR/docs/$1
. "$SRCDIR/tests/scripts/common.sh"
name="guide $1"
test -x "$BUILDDIR/tests/tools/stepwatch" || skip "the command was not built"

as_installed
mkdir work
LD_LIBRARY_PATH=$BUILDDIR/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
LC_ALL=C.UTF-8
export LD_LIBRARY_PATH LC_ALL

# Write each block to a file NUMBER.LANGUAGE, numbered in order.
awk '/^```/ && inside { inside = 0; file = ""; next }
     /^```/ {
         inside = 1
         language = substr($0, 4)
         if (language ~ /^(c|cpp|cmake|make|meson|yaml|sh|text|report)$/)
             printf "" >(file = sprintf("%03d.%s", ++n, language))
         next
     }
     file { print >file }' "$guide"
set -- 001.*
test -e "$1" || fail "no block was found"

# named FILE: prints the name in its first line, "/* loop.c - …" or "# stepwatch.yaml", or nothing.
named()
{
    sed -n '1s,^\(/\*\|//\|#\) \(Makefile\|[A-Za-z_-]*\.\(c\|cpp\|yaml\|txt\|build\)\)\( .*\)\?$,\2,p' "$1"
}

part_of_a_program()
{
    {
        echo '#include <stepwatch/stepwatch.h>'
        echo 'void part(struct sw_profiler *sw);'
        echo 'void part(struct sw_profiler *sw)'
        echo '{'
        cat "$1"
        echo '}'
    } >part.c
    silent cc -std=c11 -Wall -Wextra -Werror $(pkg-config --cflags stepwatch) -fsyntax-only part.c
}

program()
{
    cp "$1" "work/$2"
    silent cc -std=c11 -Wall -Wextra -Wno-unknown-pragmas -Werror $(pkg-config --cflags stepwatch) -fsyntax-only "work/$2"
}

printed=
for block in [0-9]*.*; do
    to=$(named "$block")
    case $block:$to in
    *.c:) part_of_a_program "$block" ;;
    *.c:*) program "$block" "$to" ;;
    *.yaml:) stepwatch check "$block" >checked.txt 2>&1 || fail "block $block:" "$(cat checked.txt)" ;;
    *.cpp: | *.cmake: | *.make: | *.meson:) ;;
    *.yaml:* | *.cpp:* | *.cmake:* | *.make:* | *.meson:*) cp "$block" "work/$to" ;;
    *.sh:)
        (cd work && env -u CC -u CXX sh -e "../$block") >printed.txt 2>errors.txt ||
            fail "block $block fails:" "$(cat "$block" printed.txt errors.txt)"
        printed=yes ;;
    *.text:)
        test -n "$printed" || fail "block $block must follow a block of sh"
        diff -u "$block" printed.txt >difference.txt || fail "block $block prints something else:" "$(cat difference.txt)"
        printed= ;;
    *.report:)
        test -n "$printed" || fail "block $block must follow a block of sh"
        rows "$block" | sort -u >shown.rows
        rows printed.txt | sort -u >printed.rows
        other=$(comm -23 shown.rows printed.rows)
        test -z "$other" || fail "block $block shows rows that are not printed: $other" "$(cat printed.txt)"
        printed= ;;
    esac
done
