/* SPDX-License-Identifier: MIT */
/* df.h - what df says of the file system of the root. */
#ifndef TESTS_DF_H
#define TESTS_DF_H

#include <check.h>
#include <stdio.h>

/* Returns how much of it is used, in percent, rounded up. */
static inline double df_used_percent(void)
{
    double percent = -1;
    FILE *df = popen("df -P / | awk 'NR == 2 { print $5 + 0 }'", "r");
    ck_assert_ptr_nonnull(df);
    ck_assert_int_eq(fscanf(df, "%lf", &percent), 1);
    pclose(df);
    return percent;
}

#endif
