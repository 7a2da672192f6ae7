# SPDX-License-Identifier: MIT
# Every file is in its room: no folder includes more than the table in docs/design.md allows, nor than rooms/folders does, no sink another sink, no files call each other in
# a circle, what others use of a file is declared in a header of its folder that it includes, and no two files, structs or symbols that the linker
# sees have one name. Exceptions are in rooms/known, a list that only gets shorter.
. "$SRCDIR/tests/scripts/common.sh"
rooms=$SRCDIR/tests/scripts/rooms
have nm || skip "binutils is not installed"
LC_ALL=C
export LC_ALL

# sources: the C and C++ of the tree in the current folder.
sources()
{
    find core config monitors mpi net sinks probes tools include examples -name '*.[ch]' -o -name '*.[ch]pp' 2>/dev/null | sort
}

# includes: "FILE:LINE TARGET" for each #include of a file of the tree. Only stepwatch/ is found in include/; other
# targets are paths from the top, or from the including file's folder.
includes()
{
    sources | xargs grep -Hn '^ *# *include' |
        sed -n 's/^\([^:]*\):\([0-9]*\):[^"<]*\(["<]\)\([^">]*\)[">].*/\1 \2 \3 \4/p' |
        while read -r file line quote target; do
            beside=${file%/*}/$target
            case $quote$target in
            ?stepwatch/*) echo "$file:$line include/$target" ;;
            '"'config.h) ;;
            '"'*/*) test -e "$beside" && echo "$file:$line $beside" || echo "$file:$line $target" ;;
            '"'*) echo "$file:$line $beside" ;;
            esac
        done
}

# objects BUILD: "SOURCE OBJECT", the newest object of each source. libtool and automake put the library's name before
# the source's: core/text/.libs/libtext_la-quote.o.
objects()
{
    (cd "$1" && find core config monitors mpi net sinks probes tools -name '*.o' -exec ls -t {} + 2>/dev/null) |
        sed 's|.*|& &|; s|\.libs/||; s|^\([^ ]*/\)[^/ ]*-\([^/ ]*\) |\1\2 |; s|\.o |.c |' |
        awk '!seen[$1]++' | while read -r source object; do
            test ! -e "$source" || echo "$source $object"
        done
}

# symbols BUILD: "D SOURCE SYMBOL" for each definition, "U SOURCE SYMBOL" for each use. Left out are descriptors: every sink
# has the same one, and commands.h, rules.h and counter.h declare those of the commands, the rules and the counters by a
# macro; and functions of libc that a probe interposes.
symbols()
{
    objects "$1" >"$scratch/objects.txt"
    (cd "$1" && cut -d' ' -f2 "$scratch/objects.txt" | xargs -r nm -A) | awk '
        FILENAME != "-" { source[$2] = $1; next }
        { object = $1; sub(/:.*/, "", object) }
        $(NF - 1) == "U" { print "U", source[object], $NF }
        $(NF - 1) ~ /^[A-TV-Z]$/ && $NF !~ /^(sw_(sink|monitor)_plugin|[a-z]+_command|swi_rule_[a-z_]+|swi_counter_[a-z_]+|_*(sig)?(set|long)jmp(_chk)?|__sigsetjmp|__cxa_begin_catch|dlclose|vfork|[cm]alloc|realloc(array)?|free|memalign|aligned_alloc|posix_memalign|p?valloc|(pthread|thrd)_create|__libc_start_main|f?execv?[elp]*|(bsd_|s|(__)?sysv_)?signal|sigaction|sigset|setitimer|(pthread_sig|sigproc)mask|sig(timed)?wait(info)?|signalfd)$/ { print "D", source[object], $NF }' "$scratch/objects.txt" -
}

# declared: "HEADER WORD" for each word of a header that is not in a comment.
declared()
{
    sources | grep '\.h' | xargs awk '
        { gsub(/\/\*([^*]|\*[^\/])*\*\//, "") }
        /\/\*/ { inside = 1 }
        !inside { while (match($0, /[A-Za-z_][A-Za-z0-9_]*/)) {
            print FILENAME, substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH) } }
        /\*\// { inside = 0 }' | sort -u
}

# structs: "FILE:LINE NAME" for each definition of a struct.
structs()
{
    sources | xargs grep -HnE '^(static |const |typedef )*struct [a-z_0-9]+ [{]' |
        sed -n 's/^\([^:]*:[0-9]*\):.*struct \([a-z_0-9]*\) {.*/\1 \2/p'
}

# check ROOT BUILD: prints what is wrong, a line each.
check()
(
    cd "$1"
    known=tests/scripts/rooms/known
    awk -f "$rooms/table.awk" docs/design.md >"$scratch/table.txt"
    awk -f "$rooms/folders.awk" tests/scripts/rooms/folders "$scratch/table.txt" >"$scratch/folders.txt"
    includes >"$scratch/includes.txt"
    declared >"$scratch/declared.txt"
    symbols "$2" >"$scratch/symbols.txt"
    for table in table folders; do
        awk -f "$rooms/graph.awk" -f "$rooms/includes.awk" "$scratch/$table.txt" $known "$scratch/includes.txt"
    done | sort -u
    awk -f "$rooms/graph.awk" -f "$rooms/symbols.awk" $known "$scratch/declared.txt" "$scratch/includes.txt" \
        "$scratch/symbols.txt"
    sources | grep -v '^include/\|^examples/' >"$scratch/files.txt"
    structs | grep -v '^examples/' >"$scratch/structs.txt"
    awk -f "$rooms/names.awk" "$scratch/files.txt" "$scratch/structs.txt"
    sed '/^#/d' $known | while read -r kind file target; do
        test -e "$file" || echo "$known: $kind $file $target: there is no such file: delete this line"
    done
)

# A tree in which everything is wrong once.
mkdir -p bad/docs bad/core/low bad/core/high bad/sinks/one bad/sinks/two bad/tests/scripts/rooms
cat >bad/docs/design.md <<'END'
| folder | what is in it | includes |
|---|---|---|
| `core/low/` | what needs nothing | nothing of ours |
| `core/high/` | what stands on it | `core/low/` |
| `sinks/NAME/` | one plugin | nothing of ours |
| `sinks/one/` | a sink | `sinks/two/two.h` |
END
echo '#include "sinks/two/two.h"' >bad/sinks/one/one.c
: >bad/sinks/two/two.h
cat >bad/core/low/a.c <<'END'
#include "core/low/a.h"
#include "core/high/b.h"
int swi_a(int i) { return swi_b(i); }
int swi_lost(int i) { return i; }
int swi_twice(int i) { return i; }
END
cat >bad/core/low/c.c <<'END'
#include "core/low/shared.h"
int swi_shared(int i) { return i; }
int swi_unseen(int i) { return i; }
END
echo 'int swi_shared(int i);' >bad/core/low/shared.h
echo 'int swi_unseen(int i);' >bad/core/low/unseen.h
cat >bad/core/high/b.c <<'END'
#include "core/high/b.h"
#include "core/low/a.h"
int swi_b(int i) { return swi_a(i) + swi_lost(i) + swi_shared(i) + swi_unseen(i); }
int swi_twice(int i) { return -i; }
END
printf 'struct swi_pair {\n    int a;\n};\n' | tee bad/core/low/pair.h >bad/core/high/pair.h
echo 'int swi_a(int i); /* not swi_lost */' >bad/core/low/a.h
echo 'int swi_b(int i); int swi_lost(int i);' >bad/core/high/b.h
echo 'sinks/one/ core/low/' >bad/tests/scripts/rooms/folders
printf 'include core/high/b.c core/high/c.h\ncircle core/high/gone.c\n' >bad/tests/scripts/rooms/known
for source in core/low/a core/low/c core/high/b; do
    $CC -w -Ibad -c -o bad/$source.o bad/$source.c
done
check "$scratch/bad" "$scratch/bad" >told.txt
contains told.txt \
    'sinks/one/one.c:1: a sink may not include another one: sinks/two/two.h' \
    'core/low/a.c:2: core/low/ may not include core/high/b.h' \
    'sinks/one/one.c:1: sinks/one/ may not include sinks/two/two.h' \
    'core/low/a.c: in a circle: calls swi_b of core/high/b.c' \
    'core/high/b.c: in a circle: calls swi_a of core/low/a.c' \
    'core/low/a.c: core/high/b.c uses swi_lost, and no header of its folder that it includes declares it' \
    'core/low/c.c: core/high/b.c uses swi_unseen, and no header of its folder that it includes declares it' \
    'tests/scripts/rooms/known:1: core/high/b.c no longer includes core/high/c.h: delete this line' \
    'tests/scripts/rooms/known: circle core/high/gone.c : there is no such file: delete this line' \
    'core/low/a.c: core/high/b.c also defines swi_twice' \
    'core/low/pair.h: core/high/pair has the same name' \
    'core/low/pair.h:1: struct swi_pair is also defined at core/high/pair.h:1' 
test "$(wc -l <told.txt)" = 12 || fail "expected twelve lines, found:" "$(cat told.txt)"

check "$SRCDIR" "$BUILDDIR" | sort -u >wrong.txt
test -s table.txt || fail "docs/design.md has no table of folders"
test ! -s wrong.txt || fail "what docs/design.md says of the folders is not so:" "$(cat wrong.txt)"
