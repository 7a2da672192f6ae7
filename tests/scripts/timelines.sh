# SPDX-License-Identifier: MIT
# A timeline shows the same calls and times in every format, whatever the run had, and no viewer complains about it.
. "$SRCDIR/tests/scripts/common.sh"
test -z "$SANITIZER" || skip "a program that is compiled here has no sanitizer"
stepwatch=$BUILDDIR/tests/tools/stepwatch
test -x "$stepwatch" || skip "jansson is not installed: there is no command"
have python3 || skip "python3 is not installed"
viewer="python3 -B $SRCDIR/tests/scripts/timelines/viewer.py"
golden=$SRCDIR/tests/golden/timeline

# The rules by which files are looked at are those of the real viewer.
$viewer cases "$golden/chrome.viewer_cases.json" "$golden/chrome.edge_cases.json" "$golden/perfetto.viewer_cases.json" >said.txt ||
    fail "the rules of the viewer differ:" "$(cat said.txt)"
contains said.txt '122 cases'

cat >odd.yaml <<'END'
profiler: { mode: simple, show_report: false, signals: false }
logger_callback:
  - runlog: { path: run.jsonl, detail: regions }
  - trace: { path: t.json }
  - trace: { format: perfetto, path: t.pftrace }
  - trace: { format: xplane, logdir: lg }
  - trace: { format: torch, path: t.pt.trace.json }
END
silent $CC -O1 -g -I "$SRCDIR/include" -o odd "$SRCDIR/tests/scripts/timelines/odd.c" -L "$BUILDDIR/.libs" -lstepwatch \
    -Wl,-rpath,"$BUILDDIR/.libs" -pthread
timeout 60 ./odd >said.txt 2>&1 || fail "the run failed:" "$(cat said.txt)"
contains said.txt 'has 65536 bytes: longer names than 255 bytes are cut'
test "$(grep -c 'choose windows with the key schedule' said.txt)" = 4 || fail "each trace says when it is full:" "$(cat said.txt)"
test "$(wc -l <said.txt)" = 5 || fail "the run said:" "$(cat said.txt)"
mv lg/plugins/profile/*/*.xplane.pb t.xplane.pb
for form in chrome:e.json perfetto:e.pftrace xplane:e.xplane.pb torch:e.pt.trace.json; do
    "$stepwatch" export run.jsonl --format "${form%%:*}" -o "${form##*:}" 2>said.txt || fail "no export:" "$(cat said.txt)"
done
$viewer compare t.json t.pftrace t.xplane.pb t.pt.trace.json e.json e.pftrace e.xplane.pb e.pt.trace.json || fail "the formats differ"
$viewer compare t.json t.pftrace t.xplane.pb || fail "the counters differ"
$viewer compare e.json e.pftrace e.xplane.pb || fail "the exported counters differ"
$viewer arrows 65 t.json t.pftrace e.json e.pftrace || fail "each span has an arrow"
