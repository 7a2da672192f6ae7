# SPDX-License-Identifier: MIT
# POSIXLY_CORRECT, COLUMNS=1, NO_COLOR, a TERM that nobody knows, and an allocator that fills memory
quick="own check"
enter()
{
    POSIXLY_CORRECT=1 COLUMNS=1 NO_COLOR=1 TERM=no-such-terminal MALLOC_PERTURB_=165 LD_BIND_NOW=1 "$@"
}

# COLUMNS is the width of tables, as docs/ci-and-slurm.md says.
alike()
{
    grep -v '^report: \([┌├└│]\|For a wider terminal\)'
}
