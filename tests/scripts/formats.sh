# SPDX-License-Identifier: MIT
# The document of the format has each field that is written into a .wandb file, with its number.
. "$SRCDIR/tests/scripts/common.sh"
cd "$SRCDIR"
grep -oE '[FLC]\(S, [A-Z0-9]+, [a-z_0-9]*, [a-z_0-9]+, [0-9]+\)' sinks/wandb/file/record_messages.h | sed -E 's/.*, ([a-z_0-9]+), ([0-9]+)\)/\1 = \2;/' | sort -u >"$scratch/fields"
grep -oE '[a-z_0-9]+ = [0-9]+;' docs/wandb.proto | sort -u >"$scratch/document"
test "$(wc -l <"$scratch/fields")" -gt 100 || fail "record_messages.h has only $(wc -l <"$scratch/fields") fields"
missing=$(comm -23 "$scratch/fields" "$scratch/document")
test -z "$missing" || fail "docs/wandb.proto lacks $missing"
