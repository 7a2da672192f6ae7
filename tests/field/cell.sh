# SPDX-License-Identifier: MIT
# cell.sh - makes one journey in one surrounding, and compares it with the same at home. Prints why it is wrong.
# Exit status: 0 right, 10 refused with a remedy, 77 it cannot be tried here, 78 not asked for, 1 wrong.
. "$TESTS/common.sh"
. "$TESTS/facts.sh"
. "$TESTS/journeys/$JOURNEY.sh"
. "$TESTS/surroundings/$SURROUNDING.sh"

case " $leaves_out " in *" $JOURNEY "* | *" all "*) exit 78 ;; esac
why=$(needs)
test -z "$why" || { echo "$why"; exit 77; }

cd "$HERE" || exit 1
mkdir home
pack
prepare || { echo "the surroundings cannot be made"; exit 1; }
# Sinks open on threads of their own: what they say in the first second, they say at the start.
test -z "$without" || test "$JOURNEY" != own || export TRAIN_WAIT=1
cd "$where" || exit 1
enter sh "$TESTS/inside.sh" </dev/null >"$HERE/inside.out" 2>&1 8>&- 9>&- || { echo "the journey ended with status $?:"; cat "$HERE/inside.out"; wrong=yes; }
test ! -s "$HERE/inside.out" || { echo "unexpected:"; cat "$HERE/inside.out"; wrong=yes; }
chmod -R u+rwX "$HERE" 2>/dev/null
arrive >facts 2>&1
also || wrong=yes

if test "$SURROUNDING" = home; then
    ! grep -E "cannot open|No such file|status: [^07]" facts || wrong=yes
    test -z "${wrong:-}" || cat err
    test -z "${wrong:-}"
    exit
fi
home=$FIELD/cells/home.$JOURNEY
status=0
alike <"$home/facts" >facts.home
alike <facts >facts.here
diff facts.home facts.here >difference || {
    # What may be missing, if a sentence at the start says why and what to do.
    sections=$(sed -n 's/^[<>] \([a-z]*\):.*/\1/p' difference | sort -u)
    for section in $sections; do
        case " $without " in *" $section "*) status=10 ;; *) echo "$section differs from home:"; grep "^[<>] $section:" difference | head -n 20; wrong=yes ;; esac
    done
    test -n "$sections" || { cat difference; wrong=yes; }
}

# Messages: those that home has, and those that the surroundings expect.
messages home.said <"$home/err"
messages said <err
if test $status = 10 && test -z "$silent"; then
    sed '/^train: begins/,$d' err | grep -qE -- "$says" || test "$JOURNEY" != own || test -n "$late" ||
        { echo "no sentence at the start that has $says:"; cat err; wrong=yes; }
    grep -qE -- "$says" err || { echo "no sentence that has $says:"; cat err; wrong=yes; }
fi
nothing='^$'
command -v starts >/dev/null || of_wrappers=
grep -avxFf home.said said | grep -avE -- "${says:-$nothing}" | grep -avE -- "${of_wrappers:-$nothing}" |
    grep -avE -- "${by_chance:-$nothing}" >unexpected
test ! -s unexpected || { echo "it says:"; cat unexpected; wrong=yes; }
test -z "${wrong:-}" || exit 1
exit $status
