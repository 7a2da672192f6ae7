# SPDX-License-Identifier: MIT
# Every command line of docs/for-agents.md runs as it stands there, and the schemas have all fields that it names.
. "$SRCDIR/tests/scripts/common.sh"
test -x "$BUILDDIR/tools/stepwatch" || skip "jansson is not installed: there is no command"
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

# Nothing can be preloaded into a program below a sanitizer.
set --
test -z "$SANITIZER" || set -- functions
python3 "$SRCDIR/tests/scripts/schemas/page.py" "$SRCDIR/docs/for-agents.md" "$SRCDIR/schemas" "$@" >faults.txt 2>&1 ||
    fail "$(cat faults.txt)"
