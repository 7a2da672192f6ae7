# SPDX-License-Identifier: MIT
# Two different builds of the library in one program, which is linked to one and loads the other: each calls its own
# functions, and each has its report at a signal and at a crash. (The second one once hung in sw_open().)
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "a sanitizer takes two copies of one variable for a mistake"
test -e "$BUILDDIR/.libs/libstepwatch.so" || skip "there is no shared library"
ulimit -c 0

# The other build has another name, and what decides how a program ends is compiled anew, without optimization. The object
# of FOLDER/NAME.lo is FOLDER/.libs/NAME.o.
for object in $OBJECTS; do
    case $object in
    core/process/* | core/libstepwatch_la-*) ;;
    *) echo "$BUILDDIR/$(dirname "$object")/.libs/$(basename "$object" .lo).o" ;;
    esac
done >objects.txt
silent "$CC" -std=gnu11 -O0 -fPIC -fvisibility=hidden -D_GNU_SOURCE -DHAVE_CONFIG_H -DSINKDIR='"/nowhere"' -I"$SRCDIR/include" \
    -I"$SRCDIR" -I"$BUILDDIR" -shared -o libother.so "$SRCDIR"/core/*.c "$SRCDIR"/core/process/*.c $(cat objects.txt) \
    -Wl,--version-script="$SRCDIR/core/stepwatch.map" -Wl,-Bsymbolic-functions -Wl,-soname,libother.so -lyaml -lm -pthread -ldl
both()
{
    "$CC" -std=gnu11 -D_GNU_SOURCE -I"$SRCDIR/include" -o both "$SRCDIR/tests/scripts/two-builds/both.c" "$@" -ldl
}

# ended_with STATUS OTHER END
ended_with()
{
    rm -f linked.jsonl other.jsonl
    timeout 60 sh -c '"$@"; exit $?' sh ./both "$2" "$3" >said.txt 2>&1 && found=0 || found=$?
    test $found = "$1" || fail "$2 $3: status $found instead of $1:" "$(cat said.txt)"
    ! grep -q stepwatch said.txt || fail "$2 $3:" "$(cat said.txt)"
    contains linked.jsonl '"type":"report"' '"type":"finish"' '"steps":3'
    contains other.jsonl '"type":"report"' '"type":"finish"' '"steps":5'
}

# The loader binds no call of one build to the other.
bound_to_itself()
{
    LD_BIND_NOW=1 LD_DEBUG=bindings timeout 60 sh -c '"$@"; exit $?' sh ./both "$1" term >bindings.txt 2>&1 || :
    contains bindings.txt 'normal symbol `sw_'
    crossed=$(grep -E 'binding file [^ ]*/libother\.so .* to [^ ]*/libstepwatch\.so|binding file [^ ]*/libstepwatch\.so[^ ]* .* to [^ ]*/libother\.so' bindings.txt) &&
        fail "calls of one build reach the other:" "$crossed"
    return 0
}
all_ends()
{
    bound_to_itself "$1"
    ended_with 143 "$1" term
    ended_with 139 "$1" segv
    ended_with 134 "$1" abort
}
both -L"$BUILDDIR/.libs" -lstepwatch -Wl,-rpath,"$BUILDDIR/.libs"
all_ends ./libother.so
both -L. -lother -Wl,-rpath,"$scratch"
all_ends "$BUILDDIR/.libs/libstepwatch.so"
