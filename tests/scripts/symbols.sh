# SPDX-License-Identifier: MIT
# libstepwatch exports exactly the list in tests/golden/symbols.txt, and needs only libc, libm and libyaml. The writer of
# event files exports the functions in its man page and needs no symbols of libstepwatch. A sink exports only its
# descriptor, and has no undefined symbols of the library.
. "$SRCDIR/tests/scripts/common.sh"
have nm || skip "binutils is not installed"
LC_ALL=C
export LC_ALL

# exported LIBRARY: its functions, without their versions.
exported()
{
    nm -D --defined-only "$1" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort
}

library=$BUILDDIR/.libs/libstepwatch.so
exported "$library" >exported.txt
diff -u "$SRCDIR/tests/golden/symbols.txt" exported.txt >difference.txt ||
    fail "libstepwatch does not export the symbols in tests/golden/symbols.txt:" "$(cat difference.txt)"

writer=$BUILDDIR/.libs/libstepwatch-tensorboard.so
if test -e "$writer"; then
    exported "$writer" >exported.txt
    sed -n 's/^\.Nm \(sw_tb_[a-z_]*\).*/\1/p' "$SRCDIR/docs/man/stepwatch-tensorboard.3" | sort >told.txt
    diff -u told.txt exported.txt >difference.txt ||
        fail "libstepwatch-tensorboard does not export the functions in its man page:" "$(cat difference.txt)"
    undefined=$(nm -D --undefined-only "$writer" | awk '$2 ~ /^swi?_/ {print $2}')
    test -z "$undefined" || fail "$writer cannot be used alone, it needs:" $undefined
fi

# A program may have two copies, and the loader prefers the functions of the first. So no copy leaves to the loader what
# its calls of its own functions lead to.
for shared in "$library" "$writer"; do
    test -e "$shared" || continue
    exported "$shared" >exported.txt
    readelf -rW "$shared" | awk '{ sub(/@.*/, "", $5); print $5 }' | sort -u | comm -12 - exported.txt >own.txt
    test ! -s own.txt || fail "$shared calls functions of another copy for its own:" $(cat own.txt)
done

# The symbols files of the Debian packages have the same list.
for shared in "$BUILDDIR"/.libs/libstepwatch*.so; do
    package=$(basename "$shared" .so)1
    nm -D --defined-only "$shared" | awk '{print $3}' | sed 's/@@/@/; s/^[A-Z_.0-9]*$/&@&/; s/^[^@]*$/&@Base/' | sort >exported.txt
    sed -n 's/^ \([^ ]*\) .*/\1/p' "$SRCDIR/debian/$package.symbols" | sort | diff -u - exported.txt >difference.txt ||
        fail "$package does not export the symbols in debian/$package.symbols; for a new symbol, add a line \" NAME@NODE VERSION\":" \
            "$(cat difference.txt)"
done

for sink in "$BUILDDIR"/sinks/.libs/*.so; do
    exported=$(nm -D --defined-only "$sink" | awk '{print $3}')
    expected=sw_sink_plugin
    test ! -e "$SRCDIR/monitors/$(basename "$sink" .so)" || expected=sw_monitor_plugin
    test "$exported" = $expected || fail "$sink exports:" $exported
    undefined=$(nm -D --undefined-only "$sink" | awk '$2 ~ /^swi?_/ {print $2}')
    test -z "$undefined" || fail "$sink cannot be loaded into a static program, it needs:" $undefined
    ! readelf -lW "$sink" | grep -q '^  TLS' || fail "$sink has _Thread_local variables: use core/process/plugin_threads.h"
    # A sink's thread must use sw_sink_getenv() and the offset in struct sw_run. The command uploads without a sink, with
    # the same code, and what sqlite checks runs in sw_open().
    case $(basename "$sink") in wandb* | sqlite.so) reads='localtime|tzset' ;; *) reads='getenv|localtime|tzset' ;; esac
    undefined=$(nm -D --undefined-only "$sink" | awk -v reads="$reads" '$2 ~ reads {print $2}')
    test -z "$undefined" || fail "$sink reads the environment while the program may change it:" $undefined
done

test -z "$SANITIZER" || skip "the rest: the library also needs that of the sanitizer"
needed()
{
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort
}
for need in $(needed "$library"); do
    case $need in
    libc.so.6 | libm.so.6 | libyaml-0.so.2 | ld-linux*) ;;
    *) fail "libstepwatch needs $need: only libc, libm and libyaml are allowed" ;;
    esac
done

# libcurl is costly to load, so it is loaded only when something is sent.
for shared in "$BUILDDIR"/.libs/*.so "$BUILDDIR"/sinks/.libs/*.so "$BUILDDIR/tools/.libs/stepwatch"; do
    test ! -e "$shared" || ! needed "$shared" | grep curl || fail "$shared needs libcurl even if nothing is sent"
done
