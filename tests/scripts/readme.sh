# SPDX-License-Identifier: MIT
# The README is short. Its C is a program that compiles and runs with its YAML; its report has the rows that the example prints;
# and the files and headings to which it links exist.
. "$SRCDIR/tests/scripts/common.sh"
readme=$SRCDIR/README.md

# block LANGUAGE: prints the first block of README.md in this language.
block()
{
    awk -v "begin=\`\`\`$1" '$0 == "```" { if (inside) exit } inside { print } $0 == begin { inside = 1 }' "$readme"
}

block c >loop.c
block yaml >stepwatch.yaml
test "$(wc -l <"$readme")" -le 120 || fail "README.md has more than 120 lines: move something to docs/"

LD_LIBRARY_PATH=$BUILDDIR/.libs LC_ALL=C.UTF-8
export LD_LIBRARY_PATH LC_ALL
silent $CC $SANITIZER -std=c11 -Wall -Wextra -Werror -I "$SRCDIR/include" -o loop loop.c \
    -L "$BUILDDIR/.libs" -lstepwatch
./loop >out.txt 2>err.txt || fail "the loop exits with $?:" "$(cat err.txt)"
test ! -s err.txt || fail "the loop says:" "$(cat err.txt)"
contains out.txt "Profiling Results" forward "stepwatch itself"
contains report.csv P95
grep -q "^train,opt_step,.*,999," report.csv || fail "expected 999 steps in report.csv, found:" "$(cat report.csv)"
contains run.jsonl '"name":"train/loss"'

if test -x "$BUILDDIR/examples/digits/digits"; then
    sed -n '/^Profiling Results/,/^```/p' "$readme" >shown.txt
    cp "$BUILDDIR/examples/digits/digits" .
    cp "$SRCDIR/examples/digits/digits.csv.gz" .
    sed 's/^  - table .*/  - table/' "$SRCDIR/examples/digits/stepwatch.yaml" >stepwatch.yaml
    ./digits --epochs 1 >out.txt
    rows out.txt >printed.rows
    rows shown.txt >shown.rows
    test "$(grep -c forward out.txt)" -gt 0 || fail "the example prints no report"
    diff -u shown.rows printed.rows >difference.txt ||
        fail "the report in the README and that of the example have different rows:" "$(cat difference.txt)"
fi

for link in $(grep -o '](\([^)]*\))' "$readme" | sed 's/^](//; s/)$//' | grep -v '^https\?:'); do
    file=${link%%#*}
    test -e "$SRCDIR/$file" || fail "README.md links to $file, which does not exist"
    case $link in
    *'#'*)
        sed -n 's/^#* //p' "$SRCDIR/$file" | tr 'A-Z ' 'a-z-' | grep -qx "${link#*#}" ||
            fail "README.md links to $link, but $file has no such heading"
        ;;
    esac
done
