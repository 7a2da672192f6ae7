# SPDX-License-Identifier: MIT
# Every command line of docs/for-agents.md runs as it stands there, and the schemas have all fields that it names.
. "$SRCDIR/tests/scripts/common.sh"
test -x "$BUILDDIR/tests/tools/stepwatch" || skip "jansson is not installed: there is no command"
have python3 || skip "python3 is not installed"
as_installed

mkdir runs
gzip -dc "$SRCDIR/tests/golden/advice/healthy-1.jsonl.gz" >runs/fast.jsonl
gzip -dc "$SRCDIR/tests/golden/advice/input-bound-0.3-1.jsonl.gz" >runs/slow.jsonl
cp -r "$SRCDIR/tests/golden/ranks/merge" runs/ranks
printf 'logger_callback: table\n' >stepwatch.yaml
cat >train <<'END'
#!/bin/sh
exec python3 -c 'sum(i * i for i in range(3000000))'
END
chmod +x train

# A new rule is in the pages that say what to do about its finding.
sed -n 's/.*\.id = "\([a-z-]*\)".*/\1/p' "$SRCDIR"/core/advice/*.c | sort -u >ids.txt
test -s ids.txt || fail "no rule was found"
while read -r id; do
    grep -q "^|.*\`$id\`.*|" "$SRCDIR/docs/for-agents.md" || fail "docs/for-agents.md does not say how to go on with $id"
    grep -q "^###* .*$id" "$SRCDIR/docs/why-is-my-loop-slow.md" || fail "docs/why-is-my-loop-slow.md has no heading for $id"
done <ids.txt

# Nothing can be preloaded into a program below a sanitizer.
set --
test -z "$SANITIZER" || set -- functions
python3 "$SRCDIR/tests/scripts/schemas/page.py" "$SRCDIR/docs/for-agents.md" "$SRCDIR/schemas" "$@" >faults.txt 2>&1 ||
    fail "$(cat faults.txt)"
