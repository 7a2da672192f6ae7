# SPDX-License-Identifier: MIT
# stepwatch(1), the help and the completions agree with the command's tables of options.
. "$SRCDIR/tests/scripts/common.sh"
stepwatch=$BUILDDIR/tests/tools/stepwatch
test -x "$stepwatch" || skip "jansson is not installed: there is no command"
page=$SRCDIR/docs/man/stepwatch.1
completion=$SRCDIR/tools/completion

same()
{
    diff -u "$1" "$2" >difference.txt || fail "$3:" "$(cat difference.txt)"
}

# ---- the tables against the help and the man page ----

"$stepwatch" --commands >commands.txt
cut -f1 commands.txt | sort >tables.txt
"$stepwatch" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -v '^stepwatch$' | sort >help.txt
same tables.txt help.txt "stepwatch --help and stepwatch --commands list different commands"
sed -n 's/^\.Ss \([a-z]*\).*/\1/p' "$page" | sort >page.txt
same tables.txt page.txt "stepwatch(1) and stepwatch --commands have different commands"

# "COMMAND --option", and "=" where it takes a value.
while read -r command _; do
    "$stepwatch" "$command" --options | sed -n "s/^--/$command --/p" | grep -v ' --help$'
done <commands.txt | sort >tables.txt
while read -r command _; do
    "$stepwatch" "$command" --help | sed -n -e 's/^  \(--[a-z-]*\) [^ ].*  .*/\1=/p' -e t -e 's/^  \(--[a-z-]*\)  .*/\1/p' \
        -e t -e 's/^  \(--[a-z-]*\) [A-Z].*/\1=/p' | sed "s/^/$command /"
done <commands.txt | sort >help.txt
same tables.txt help.txt "the help and the command have different options"
awk '$1 == ".Ss" { command = $2 } $1 == ".Sh" { command = "" }
    command && $1 == ".It" && $2 == "Fl" { print command " -" $3 (NF > 3 ? "=" : "") }' "$page" | sort >page.txt
same tables.txt page.txt "stepwatch(1) and the command have different options"
test "$(wc -l <tables.txt)" -gt 20 || fail "expected more than 20 options, found:" "$(cat tables.txt)"

if have mandoc; then
    mandoc -Tlint -W warning "$page" >lint.txt 2>&1 || fail "$(cat lint.txt)"
else
    echo "SKIP: $name: mandoc is not installed"
fi

# ---- completions ----

"$stepwatch" sinks | sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1/p' | sort >sinks.txt
mkdir work
cd work
touch one.jsonl two.jsonl three.jsonl.gz train.yaml other.txt
mkdir folder

# The formats that --format takes, from what it says to one that it does not.
"$stepwatch" report --format nonsense x 2>&1 | sed -n 's/.*is not one of //p' | tr -d ' ' | tr , '\n' | sort >../formats.txt

if have bash; then
    bash "$SRCDIR/tests/scripts/complete.bash" "$completion/stepwatch.bash" "$stepwatch" .. || fail "completion of bash, see above"
else
    echo "SKIP: $name: bash is not installed"
fi
if have zsh; then
    zsh -f "$SRCDIR/tests/scripts/complete.zsh" "$completion/_stepwatch" "$stepwatch" .. || fail "completion of zsh, see above"
else
    echo "SKIP: $name: zsh is not installed"
fi
