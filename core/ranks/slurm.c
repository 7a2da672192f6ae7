/* SPDX-License-Identifier: MIT */
#include "core/ranks/slurm.h"

#include <string.h>

/* Steps with this or a higher number are Slurm's own, such as an interactive shell. */
static const int64_t OWN_STEPS = 0xfffffff0;

/* Returns entry number `index` of a list like "4,5,6", or -1. */
static int64_t entry_at(const char *list, int64_t index)
{
    for (; index > 0; index--) {
        list = strchr(list, ',');
        if (!list++)
            return -1;
    }
    return swi_digits(list, strcspn(list, ","));
}

static int64_t entries(const char *list)
{
    int64_t count = 1;
    while ((list = strchr(list, ',')))
        list++, count++;
    return count;
}

/* Returns how many tasks a list like "3,1(x2)" gives node number `node` (here 3, 1 and 1), or -1.
 */
static int64_t tasks_of_node(const char *list, int64_t node)
{
    for (const char *at = list; at;) {
        size_t digits = strspn(at, "0123456789");
        const char *after = at + digits;
        bool repeated = strncmp(after, "(x", 2) == 0;
        size_t times = repeated ? strspn(after + 2, "0123456789") : 0;
        int64_t nodes = repeated ? swi_digits(after + 2, times) : 1;
        if (nodes < 1)
            return -1;
        if (node < nodes)
            return swi_digits(at, digits);
        node -= nodes;
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return -1;
}

static bool is_step(const struct swi_variables *variables)
{
    const char *step = swi_variable(variables, "SLURM_STEP_ID");
    int64_t number = 0;
    if (!step || strlen(step) > 10 || step[strspn(step, "0123456789")])
        return false;
    for (; *step; step++)
        number = 10 * number + (*step - '0');
    return number < OWN_STEPS;
}

static bool nodes_match(const struct swi_variables *variables)
{
    const char *job = swi_variable(variables, "SLURM_NNODES");
    const char *step = swi_variable(variables, "SLURM_STEP_NUM_NODES");
    return !job || !step || strcmp(job, step) == 0;
}

static bool rank_matches(const struct swi_variables *variables)
{
    const char *ranks = swi_variable(variables, "SLURM_GTIDS");
    const char *local = swi_variable(variables, "SLURM_LOCALID");
    int64_t index = swi_variable_number(variables, "SLURM_LOCALID");
    if (!ranks || !local)
        return true;
    return index >= 0 && entry_at(ranks, index) == swi_variable_number(variables, "SLURM_PROCID");
}

static bool tasks_match(const struct swi_variables *variables)
{
    const char *ranks = swi_variable(variables, "SLURM_GTIDS");
    const char *tasks = swi_variable(variables, "SLURM_STEP_TASKS_PER_NODE");
    const char *node = swi_variable(variables, "SLURM_NODEID");
    int64_t index = swi_variable_number(variables, "SLURM_NODEID");
    if (!ranks || !tasks || !node)
        return true;
    return index >= 0 && tasks_of_node(tasks, index) == entries(ranks);
}

bool swi_slurm_is_task(const struct swi_variables *variables)
{
    return is_step(variables) && nodes_match(variables) && rank_matches(variables) &&
           tasks_match(variables);
}

int64_t swi_slurm_local_size(const struct swi_variables *variables)
{
    const char *ranks = swi_variable(variables, "SLURM_GTIDS");
    return ranks ? entries(ranks) : -1;
}
