# SPDX-License-Identifier: MIT
# The screen of `stepwatch watch` on a real terminal: tmux at 80x24, 200x60, and another size while it is shown; the keys.
. "$SRCDIR/tests/scripts/common.sh"
have tmux || skip "tmux is not installed"
test -x "$BUILDDIR/tests/tools/stepwatch" || skip "the command is not built: jansson is missing"
grep -q '^#define HAVE_NCURSES 1' "$BUILDDIR/config.h" || skip "stepwatch was built without ncursesw"

# Servers of its own, with nothing of the user's configuration. Each has another socket, because one that is told to end
# takes a moment, and must not get the next session.
server=1
tmux() { command tmux -f /dev/null -S "$scratch/socket$server" "$@"; }
server_end()
{
    tmux kill-server
    server=$((server + 1))
}
LC_ALL=C.UTF-8
export LC_ALL
unset TMUX

# A run of 60 steps, which is still being written.
log()
{
    printf '{"type":"run","version":1,"started":1767225600.0,"name":"%s","program":"p","host":"elsewhere","pid":1,"detail":"steps"}\n' "$1"
    printf '{"type":"expect","t":0,"steps":100}\n'
    for word in fit epoch train; do printf '{"type":"begin","t":0,"action":"%s"}\n' $word; done
    awk 'BEGIN { for (i = 0; i < 60; i++) {
        printf "{\"type\":\"step\",\"t\":%d000000,\"step\":%d,\"phase\":\"train\",\"samples\":64,\"durations\":{\"draw\":1000000,\"forward\":6000000,\"batch\":9000000}}\n", 10 * (i + 1), i
        printf "{\"type\":\"metric\",\"t\":%d000000,\"step\":%d,\"name\":\"train/loss\",\"value\":%g}\n", 10 * (i + 1), i, 1 / (i + 1) } }'
}
log digits >run.jsonl

# shows TEXT: waits until it is on the screen.
shows()
{
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
        tmux capture-pane -p -t watch >screen.txt 2>&1 || true
        if grep -qF -- "$1" screen.txt; then return 0; fi
        sleep 0.25
    done
    fail "the screen does not show \"$1\":" "$(cat screen.txt)"
}

start() # WIDTH HEIGHT ARGUMENT...
{
    width=$1 height=$2
    shift 2
    tmux new-session -d -s watch -x "$width" -y "$height" "$BUILDDIR/tests/tools/stepwatch watch $*; echo gone; sleep 60"
}
trap 'status=$?; tmux kill-server 2>/dev/null || true; ended $status' EXIT

start 80 24 run.jsonl
shows '60/100  60 %'
shows 'samples/s  6,400'
shows 'forward'
shows 'slowest: step'
shows 'train/loss'
shows 'q quit  space hold'
test "$(wc -l <screen.txt)" -le 24 || fail "more than 24 rows:" "$(cat screen.txt)"
printf '{"type":"step","t":610000000,"step":60,"phase":"train","samples":64,"durations":{"draw":1000000,"forward":6000000,"batch":9000000}}\n{"type":"st' >>run.jsonl
shows '61/100'
tmux send-keys -t watch '?'
shows 'Ctrl-C'
tmux send-keys -t watch '?'
tmux resize-window -t watch -x 60 -y 16
shows 'q quit'
shows '61/100'
tmux resize-window -t watch -x 200 -y 60
shows 'over the last 61 steps'
printf 'ep","t":1}\n{"type":"finish","t":620000000,"exit_status":0,"signal":0,"interrupted":false}\n' >>run.jsonl
shows 'finished'
tmux send-keys -t watch q
shows gone
server_end

# Ctrl-Z gives the terminal back to the shell, and fg draws the screen again, in the size that the terminal has then.
log stopped >stopped.jsonl
tmux new-session -d -s watch -x 80 -y 24 "PS1='$ ' ENV= sh -i"
tmux send-keys -t watch "'$BUILDDIR/tests/tools/stepwatch' watch stopped.jsonl" Enter
shows 'slowest: step'
tmux send-keys -t watch C-z
shows 'Stopped'
tmux send-keys -t watch 'echo typed $((20 + 3))' Enter
shows 'typed 23'
tmux resize-window -t watch -x 100 -y 30
tmux send-keys -t watch 'fg' Enter
shows 'slowest: step'
shows 'q quit  space hold'
tmux send-keys -t watch q
shows "stepwatch' watch stopped.jsonl"
server_end

# A folder: the list, one of it, and back.
mkdir runs
log first >runs/a.jsonl
log second >runs/b.jsonl
start 200 60 runs
shows '> '
shows 'second'
tmux send-keys -t watch Enter
shows '60/100  60 %'
tmux send-keys -t watch Escape
shows 'newest metric'
tmux send-keys -t watch C-c
shows gone
