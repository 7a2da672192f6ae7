/* SPDX-License-Identifier: MIT */
#include "tools/log/run_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check(const char *pair, struct sw_error *err)
{
    const char *equals = strchr(pair, '=');
    if (!equals || equals == pair)
        return sw_error_set(err, SW_EINVAL, "--set %s: expected key=value, like rolling_average=20",
                            pair);
    if (strchr(pair, ','))
        return sw_error_set(err, SW_EINVAL, "--set %s: a value cannot hold a comma", pair);
    return 0;
}

/* Takes over a text and returns it with one more option. */
static char *join(char *all, const char *pair)
{
    char *longer = NULL;
    if (all && asprintf(&longer, "%s%s%s", all, *all ? "," : "", pair) < 0)
        longer = NULL;
    free(all);
    return longer;
}

int set_options_export(const char *const *set, bool keep, struct sw_error *err)
{
    const char *before = keep ? getenv("STEPWATCH_SET") : NULL;
    char *all = strdup(before ? before : "");
    int rc = 0;
    for (; rc == 0 && set && *set; set++) {
        rc = check(*set, err);
        all = join(all, *set);
    }
    if (rc == 0 && (!all || setenv("STEPWATCH_SET", all, 1) != 0))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for --set");
    free(all);
    return rc;
}
