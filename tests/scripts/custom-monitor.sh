# SPDX-License-Identifier: MIT
# A monitor outside of the tree: it is built with the command in its file and in docs/writing-monitors.md and found in
# plugin_path, and its values arrive. A monitor in the tree is a folder and a line.
. "$SRCDIR/tests/scripts/common.sh"
as_installed

mkdir custom_monitor
cp "$SRCDIR/examples/custom_monitor/room.c" "$SRCDIR/examples/custom_monitor/stepwatch.yaml" custom_monitor
cd custom_monitor
line=$(grep -o 'cc -shared.*room\.c' room.c)
grep -qF "$line" "$SRCDIR/docs/writing-monitors.md" || fail "docs/writing-monitors.md has another line than room.c: $line"
silent sh -c "$line -Wall -Wextra -Wpedantic -Werror"
echo 21.5 >celsius
sed -i "s,/run/room/celsius,$PWD/celsius," stepwatch.yaml
cd ..

STEPWATCH_CONFIG=custom_monitor/stepwatch.yaml "$BUILDDIR/examples/minimal" >out.txt 2>err.txt
test ! -s err.txt || fail "it says:" "$(cat err.txt)"
test "$(grep -c '"name":"room/celsius","value":21.5,"by":"monitor"' custom_monitor/room.jsonl)" = 2 ||
    fail "expected a first and a last sample:" "$(cat custom_monitor/room.jsonl)"

# A replay gives the same values at the same times, and nothing of this machine.
if test -x "$BUILDDIR/tests/tools/stepwatch"; then
    printf 'monitors: [ room: { file: /dev/null } ]\nplugin_path: [ custom_monitor ]\nlogger_callback: [ runlog: { path: again.jsonl } ]\n' >again.yaml
    "$BUILDDIR/tests/tools/stepwatch" replay custom_monitor/room.jsonl --config again.yaml >out.txt 2>err.txt
    grep '"by":"monitor"' custom_monitor/room.jsonl >before.txt
    grep '"by":"monitor"' again.jsonl >after.txt
    cmp -s before.txt after.txt || fail "a replay has other samples:" "$(cat before.txt after.txt)"
    "$BUILDDIR/tests/tools/stepwatch" monitors room --config custom_monitor/stepwatch.yaml >out.txt
    contains out.txt "room 1.0 (MIT): a number in a file"
    contains out.txt "interval             duration, 0.1..3600 s, default 15s"
    "$BUILDDIR/tests/tools/stepwatch" monitors --json --config custom_monitor/stepwatch.yaml >out.txt
    contains out.txt '"monitors"'
    "$BUILDDIR/tests/tools/stepwatch" sinks --config custom_monitor/stepwatch.yaml >out.txt
    if grep -q '^room ' out.txt; then fail "a monitor is among the sinks:" "$(cat out.txt)"; fi
fi

# The options are checked and listed like those of any sink, and one kind is not the other.
complain()
{
    printf 'plugin_path: [ custom_monitor ]\n%s\n' "$1" >stepwatch.yaml
    "$BUILDDIR/examples/minimal" >out.txt 2>err.txt
    contains err.txt "$2"
}
complain 'monitors: [ room ]' 'stepwatch.yaml:2:13: monitor room: file is required: file that begins with the number'
complain 'monitors: [ room: { fil: x } ]' 'unknown option "fil"; did you mean file?'
complain 'monitors: [ room: { file: x, interval: 1ms } ]' 'monitor room: interval: 1ms'
complain 'logger_callback: [ room ]' 'it is a monitor, not a sink: list it below monitors'
complain 'monitors: [ table ]' 'it is a sink, not a monitor: list it below logger_callback'
complain 'monitors: [ rooom ]' 'monitor rooom was not found; did you mean room?'

# Nothing outside of its folder knows a monitor but one line of monitors/local.mk.
for name in gpu rapl; do
    found=$(cd "$SRCDIR" && grep -rl "sinks/$name\.la\|monitors/$name/local.mk\|%D%/$name/local.mk" --include='*.mk' --include='*.am' --include='*.ac' . | grep -v '^./build' | sort | tr '\n' ' ')
    expected=$(printf './monitors/local.mk\n./monitors/%s/local.mk\n' "$name" | sort | tr '\n' ' ')
    test "$found" = "$expected" || fail "the monitor $name is in $found"
done
