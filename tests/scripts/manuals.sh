# SPDX-License-Identifier: MIT
# The manual pages name everything that the headers declare and every option, their examples compile, and mandoc has no
# warnings.
. "$SRCDIR/tests/scripts/common.sh"
pages=$SRCDIR/docs/man

# A name that ends with _ is private. What the headers define for other platforms are the same calls.
code()
{
    for header; do
        sed '/^#ifdef SW_DISABLED/,/^#endif/d; s,/\*.*\*/,,; s,/\*.*,,; s,^ \*.*,,' "$SRCDIR/include/stepwatch/$header"
    done >code.txt
}

functions()
{
    grep -o '\<sw_[a-z0-9_]*(' code.txt | tr -d '(' | grep -v '_$' | sort -u
}

types_and_constants()
{
    {
        grep -oE '\<(struct|enum) sw_[a-z0-9_]+ \{' code.txt | sed 's/.* \(sw_[a-z0-9_]*\) {/\1/'
        grep -oE '^#define SW_[A-Z0-9_]+' code.txt | sed 's/#define //'
        grep -oE '^    SW_[A-Z0-9_]+' code.txt | tr -d ' '
    } | grep -v '_$' | sort -u
}

# named PAGE LEAST: expects every word of the standard input in the page, and at least LEAST words.
named()
{
    cat >promised.txt
    test "$(wc -l <promised.txt)" -ge "$2" || fail "expected at least $2 names for $1, found:" $(cat promised.txt)
    for word in $(cat promised.txt); do
        grep -qE "(^|[^A-Za-z0-9_])$word([^A-Za-z0-9_]|\$)" "$pages/$1" || fail "$1 does not name $word"
    done
}
code stepwatch.h inline.h replay.h error.h finding.h report.h inspect.h window.h
functions | named stepwatch.3 40
types_and_constants | named stepwatch.3 60
code sink.h value_records.h
functions | named stepwatch-sink.3 9
types_and_constants | named stepwatch-sink.3 40
code monitor.h
functions | named stepwatch-monitor.3 7
types_and_constants | named stepwatch-monitor.3 8
code ranks.h
functions | named stepwatch-ranks.3 10
types_and_constants | named stepwatch-ranks.3 3
code values.h
functions | named stepwatch-values.3 13
types_and_constants | named stepwatch-values.3 40
code flops.h
functions | named stepwatch-flops.3 7
types_and_constants | named stepwatch-flops.3 1
code mpi.h
functions | named stepwatch-mpi.3 5
types_and_constants | named stepwatch-mpi.3 2
code tensorboard.h
functions | named stepwatch-tensorboard.3 20
grep -o 'sw_ggml_[a-z_]*(' "$SRCDIR/include/stepwatch/ggml.h" | tr -d '(' | named stepwatch-with.3 1
code probe.h
functions | named stepwatch-functions.3 1
types_and_constants | named stepwatch-functions.3 1
code memory.h
functions | named stepwatch-memory.3 1
types_and_constants | named stepwatch-memory.3 1
code wandb.h
functions | named stepwatch-wandb.3 1
types_and_constants | named stepwatch-wandb.3 8

# Every header has a page. inline.h is the end of stepwatch.h.
for header in "$SRCDIR"/include/stepwatch/*.h; do
    test "${header##*/}" = inline.h || grep -q "^\\.In stepwatch/${header##*/}\$" "$pages"/*.3 || fail "no page of section 3 includes ${header##*/}"
done

# Every function in NAME has its prototype in SYNOPSIS.
for page in stepwatch.3 stepwatch-values.3 stepwatch-flops.3 stepwatch-memory.3 stepwatch-monitor.3 stepwatch-mpi.3 stepwatch-ranks.3 stepwatch-sink.3 stepwatch-tensorboard.3 stepwatch-wandb.3; do
    grep -oE '^\.Nm s?S?[wW]_[A-Za-z_]+' "$pages/$page" | cut -c 5- | sort >names.txt
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' "$pages/$page" | grep -oE '^\.(Fn|Vt) [^(]*' | grep -oE '(sw|SW)_[A-Za-z_]+' |
        sort -u >prototypes.txt
    for word in $(cat names.txt); do
        grep -qx "$word" prototypes.txt || fail "$page: $word is in NAME, but not in SYNOPSIS"
    done
done

sh "$SRCDIR/docs/options" >difference.txt || fail "run docs/options --write:" "$(cat difference.txt)"

# example PAGE N: prints the N-th displayed example as the reader sees it.
example()
{
    awk -v n="$2" '/^\.Ed/ { inside = 0 } inside { gsub(/\\e/, "\\"); print } /^\.Bd/ { inside = ++count == n }' "$pages/$1"
}
example stepwatch.3 1 >loop.c
silent $CC $SANITIZER -std=c11 -Wall -Wextra -Werror -I "$SRCDIR/include" -o loop loop.c -L "$BUILDDIR/.libs" -lstepwatch
if test -n "${MPI_CFLAGS:-}"; then
    example stepwatch-mpi.3 1 >joined.c
    silent $CC $MPI_CFLAGS -std=c11 -Wall -Wextra -Werror -I "$SRCDIR/include" -fsyntax-only joined.c
fi
example stepwatch-sink.3 1 >lines.c
silent $CC $SANITIZER -std=gnu11 -Wall -Wextra -Werror -shared -fPIC -I "$SRCDIR/include" -o lines.so lines.c
printf 'plugin_path: .\nlogger_callback: lines\n' >stepwatch.yaml
LD_LIBRARY_PATH=$BUILDDIR/.libs ./loop >out.txt 2>&1 || fail "the examples of stepwatch(3) and stepwatch-sink(3):" "$(cat out.txt)"
contains metrics.txt "0 train/loss 0" "999 train/loss"
if test -e "$BUILDDIR/.libs/libstepwatch-wandb.so"; then
    example stepwatch-wandb.3 1 >upload.c
    silent $CC $SANITIZER -std=c11 -Wall -Wextra -Werror -I "$SRCDIR/include" -o upload upload.c -L "$BUILDDIR/.libs" -lstepwatch-wandb
    LD_LIBRARY_PATH=$BUILDDIR/.libs ./upload nowhere.wandb 2>out.txt && fail "the example of stepwatch-wandb(3) uploads a file that does not exist"
    contains out.txt nowhere.wandb
fi
if test -x "$BUILDDIR/tests/tools/stepwatch"; then
    example stepwatch.yaml.5 1 >example.yaml
    "$BUILDDIR/tests/tools/stepwatch" check example.yaml >out.txt 2>&1 || fail "the example of stepwatch.yaml(5):" "$(cat out.txt)"
fi

# Ignore the style of the sources (length of lines), and whether other pages are installed.
for page in "$pages"/*; do
    if have mandoc; then
        mandoc -T lint -W warning "$page" 2>&1 | grep -v 'STYLE\|outdated mandoc.db' >lint.txt || true
    elif have groff; then
        groff -mandoc -Tutf8 -ww "$page" 2>lint.txt >page.txt
    else
        skip "how the pages are formatted (neither mandoc nor groff is installed)"
    fi
    test ! -s lint.txt || fail "${page##*/}:" "$(cat lint.txt)"
done
