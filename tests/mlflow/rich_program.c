/* SPDX-License-Identifier: MIT */
/* rich_program.c - a program that logs one value of each kind, with the configuration that it
 * finds. */
#include "tests/mlflow/rich_log.h"

#include <stdio.h>

int main(void)
{
    SW_ERROR_SCOPE(err);
    struct sw_profiler *sw = sw_open(NULL, &err);
    if (!sw || (rich_log(sw), sw_close(sw, &err)) < 0) {
        sw_error_print(stderr, &err);
        return 1;
    }
    return 0;
}
