# SPDX-License-Identifier: MIT
# The stand-in for wandb's service answers what the real wandb asked as it was answered then.
. "$SRCDIR/tests/scripts/common.sh"
have python3 || skip "there is no python3"
python3 -B "$SRCDIR/tests/wandb/replay.py" "$SRCDIR/tests/golden/wandb"
