# SPDX-License-Identifier: MIT
# The stand-in for wandb's service gives the recorded answers to the recorded requests of the real wandb.
. "$SRCDIR/tests/scripts/common.sh"
have python3 || skip "there is no python3"

# Start it as in docs/wandb.md: with a folder that does not exist yet, until its input ends.
echo state | timeout 60 python3 -B "$SRCDIR/tests/wandb/server" --folder a/service >out ||
    fail "the stand-in ends with status $?"
grep -q '^{"url": "http://127.0.0.1:' out || fail "it does not say where it listens: $(cat out)"
grep -q '"runs": {}' a/service/state.json || fail "it does not say what it has"

python3 -B "$SRCDIR/tests/wandb/replay.py" "$SRCDIR/tests/golden/wandb"
