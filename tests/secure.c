/* SPDX-License-Identifier: MIT */
/* secure.c - for test_loader.c, which installs a setuid copy of it: opens a sink and prints what
 * was said. 77: it does not run as setuid. */
#include <stepwatch/stepwatch.h>

#include <sys/auxv.h>

int main(void)
{
    struct sw_error err;
    if (!getauxval(AT_SECURE))
        return 77;
    struct sw_profiler *sw =
        sw_open_text("logger_callback: [ plain ]\nprofiler: { show_report: false }\n", &err);
    puts(sw ? "opened" : err.text);
    return sw_close(sw, NULL);
}
