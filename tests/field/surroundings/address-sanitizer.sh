# SPDX-License-Identifier: MIT
# a program that is built with the address sanitizer, and a library that is not
quick="own"
leaves_out="check report watch sync digits memory functions"
needs()
{
    echo 'int main(void) { return 0; }' >"$HERE.c"
    ${FIELD_CC} -fsanitize=address -o "$HERE.out" "$HERE.c" 2>/dev/null || echo "the compiler has no address sanitizer"
}
prepare()
{
    compile train "$TESTS/programs/train.c" -fsanitize=address
}
