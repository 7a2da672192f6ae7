/* SPDX-License-Identifier: MIT */
/* secure.c - for test_loader.c, which installs a setuid copy of it: opens the YAML of its argument
 * and prints what was said. 77: it does not run as setuid. */
#include <stepwatch/stepwatch.h>

#include <sys/auxv.h>

int main(int argc, char **argv)
{
    struct sw_error err;
    if (argc != 2 || !getauxval(AT_SECURE))
        return 77;
    struct sw_profiler *sw = sw_open_text(argv[1], &err);
    puts(sw ? "opened" : sw_error_text(&err));
    return sw_close(sw, NULL);
}
