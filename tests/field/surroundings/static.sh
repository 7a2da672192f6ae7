# SPDX-License-Identifier: MIT
# a program of a static C library that starts another: what stepwatch preloads does not reach it
quick="functions memory"
leaves_out="check report watch sync"
needs()
{
    echo 'int main(void) { return 0; }' >"$HERE.c"
    ${FIELD_CC} -static -o "$HERE.out" "$HERE.c" 2>/dev/null || echo "the compiler cannot link a static program"
}
prepare()
{
    ${FIELD_CC} -static -D_GNU_SOURCE -o within-static "$TESTS/programs/within.c"
}
starts()
{
    exec ./within-static spawned -- "$@"
}
