/* SPDX-License-Identifier: MIT */
#include "tools/runs/recorded_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *run_state_name(enum run_state state)
{
    static const char *const names[] = {"running", "killed", "interrupted", "failed", "finished"};
    return names[state];
}

/* Returns where a name is, or where it would be. */
static size_t place_of(const struct recorded_run *run, const char *name, bool *is)
{
    size_t i = 0;
    while (i < run->values && strcmp(run->value[i].name, name) < 0)
        i++;
    *is = i < run->values && strcmp(run->value[i].name, name) == 0;
    return i;
}

void recorded_run_value(struct recorded_run *run, const char *name, double value)
{
    bool is;
    size_t at = place_of(run, name, &is);
    char *own = run->values < RECORDED_VALUES && !is ? strdup(name) : NULL;
    if (!own)
        return;
    memmove(&run->value[at + 1], &run->value[at], (run->values++ - at) * sizeof *run->value);
    run->value[at] = (struct recorded_value){own, value};
}

double recorded_run_get(const struct recorded_run *run, const char *name)
{
    bool is;
    size_t at = place_of(run, name, &is);
    return is ? run->value[at].value : NAN;
}

void recorded_run_free(struct recorded_run *run)
{
    for (size_t i = 0; i < run->values; i++)
        free(run->value[i].name);
    free(run->path);
    free(run->uid);
    free(run->name);
    free(run->program);
    free(run->host);
    free(run->run);
    free(run->detail);
    free(run->cause);
    free(run);
}
