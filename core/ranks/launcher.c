/* SPDX-License-Identifier: MIT */
#include "core/ranks/rank.h"

#include <stdbool.h>
#include <string.h>

/* ---- reads the environment variables in which launchers pass the rank ------------------------ */

const char *swi_variable(const struct swi_variables *variables, const char *name)
{
    const char *value = variables->get(variables->arg, name);
    return value && *value ? value : NULL;
}

int64_t swi_digits(const char *text, size_t size)
{
    int64_t number = 0;
    if (size < 1 || size > 10)
        return -1;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = 10 * number + (text[i] - '0');
    }
    return number <= INT32_MAX ? number : -1;
}

int64_t swi_variable_number(const struct swi_variables *variables, const char *name)
{
    const char *value = swi_variable(variables, name);
    return value ? swi_digits(value, strlen(value)) : -1;
}

/* ---- whether the variables of Slurm belong to this process ----------------------------------- */

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

int64_t swi_entries(const char *list)
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
    return index >= 0 && tasks_of_node(tasks, index) == swi_entries(ranks);
}

/* Returns whether this process is a task of a step, or was started by one. A batch script, the
 * shell of an interactive step, and a batch script that a task submitted have SLURM_PROCID too. */
static bool slurm_is_task(const struct swi_variables *variables)
{
    return is_step(variables) && nodes_match(variables) && rank_matches(variables) &&
           tasks_match(variables);
}

/* Returns how many tasks of the step run on this node, or -1. */
static int64_t slurm_local_size(const struct swi_variables *variables)
{
    const char *ranks = swi_variable(variables, "SLURM_GTIDS");
    return ranks ? swi_entries(ranks) : -1;
}

/* ---- what the variables of one launcher say about this process ------------------------------- */

enum { ALTERNATIVES = 3 };

/* The variables of one source. If there are several for one number, the first that is set counts.
 */
struct launcher_row {
    const char *name;
    const char *rank[ALTERNATIVES], *size[ALTERNATIVES];
    const char *local_rank[ALTERNATIVES], *local_size[ALTERNATIVES], *node[ALTERNATIVES];
};

static const struct launcher_row rows[] = {
    [SWI_LAUNCHER_STEPWATCH] = {"stepwatch",
                                {"STEPWATCH_RANK"},
                                {"STEPWATCH_WORLD_SIZE"},
                                {"STEPWATCH_LOCAL_RANK"},
                                {"STEPWATCH_LOCAL_SIZE"},
                                {0}},
    [SWI_LAUNCHER_TORCH] = {"torch",
                            {"RANK"},
                            {"WORLD_SIZE"},
                            {"LOCAL_RANK"},
                            {"LOCAL_WORLD_SIZE", "LOCAL_SIZE"},
                            {"GROUP_RANK", "CROSS_RANK", "NODE_RANK"}},
    [SWI_LAUNCHER_HOROVOD] = {"horovod",
                              {"HOROVOD_RANK"},
                              {"HOROVOD_SIZE"},
                              {"HOROVOD_LOCAL_RANK"},
                              {"HOROVOD_LOCAL_SIZE"},
                              {"HOROVOD_CROSS_RANK"}},
    /* OMPI_COMM_WORLD_NODE_RANK is a rank on the node, not the number of a node. */
    [SWI_LAUNCHER_OMPI] = {"ompi",
                           {"OMPI_COMM_WORLD_RANK"},
                           {"OMPI_COMM_WORLD_SIZE"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE"},
                           {0}},
    [SWI_LAUNCHER_MVAPICH] = {"mvapich",
                              {"MV2_COMM_WORLD_RANK", "MVP_COMM_WORLD_RANK"},
                              {"MV2_COMM_WORLD_SIZE", "MVP_COMM_WORLD_SIZE"},
                              {"MV2_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_RANK"},
                              {"MV2_COMM_WORLD_LOCAL_SIZE", "MVP_COMM_WORLD_LOCAL_SIZE"},
                              {0}},
    [SWI_LAUNCHER_PMI] = {"pmi",
                          {"PMI_RANK"},
                          {"PMI_SIZE"},
                          {"PMI_LOCAL_RANK", "MPI_LOCALRANKID"},
                          {"PMI_LOCAL_SIZE", "MPI_LOCALNRANKS"},
                          {0}},
    [SWI_LAUNCHER_PMIX] = {"pmix", {"PMIX_RANK"}, {0}, {0}, {0}, {0}},
    [SWI_LAUNCHER_JSM] = {"jsm",
                          {"JSM_NAMESPACE_RANK"},
                          {"JSM_NAMESPACE_SIZE"},
                          {"JSM_NAMESPACE_LOCAL_RANK"},
                          {"JSM_NAMESPACE_LOCAL_SIZE"},
                          {0}},
    [SWI_LAUNCHER_FLUX] =
        {"flux", {"FLUX_TASK_RANK"}, {"FLUX_JOB_SIZE"}, {"FLUX_TASK_LOCAL_ID"}, {0}, {0}},
    [SWI_LAUNCHER_PALS] =
        {"pals", {"PALS_RANKID"}, {"PMI_SIZE"}, {"PALS_LOCAL_RANKID"}, {0}, {"PALS_NODEID"}},
    /* SLURM_NTASKS is the number of the job, and a step may have fewer tasks. */
    [SWI_LAUNCHER_SLURM] = {"slurm",
                            {"SLURM_PROCID"},
                            {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"},
                            {"SLURM_LOCALID"},
                            {0},
                            {"SLURM_NODEID"}},
};

/* Returns the first of the alternatives that is set, or NULL. */
static const char *first_set(const struct swi_variables *variables,
                             const char *const name[ALTERNATIVES])
{
    for (int i = 0; i < ALTERNATIVES && name[i]; i++)
        if (swi_variable(variables, name[i]))
            return name[i];
    return NULL;
}

static int64_t first_number(const struct swi_variables *variables,
                            const char *const name[ALTERNATIVES])
{
    const char *set = first_set(variables, name);
    return set ? swi_variable_number(variables, set) : -1;
}

/* ---- one source ---- */

void swi_launcher_tidy(struct swi_launcher *source)
{
    if (source->local_size >= 0 && source->local_rank >= source->local_size)
        source->local_rank = source->local_size = -1;
    if (source->local_size == 0 || (source->size >= 0 && source->local_size > source->size))
        source->local_size = -1;
}

enum swi_launcher_state swi_launcher_read(struct swi_launcher *source, enum swi_launcher_id id,
                                          const struct swi_variables *variables)
{
    const struct launcher_row *row = &rows[id];
    const char *rank = first_set(variables, row->rank), *size = first_set(variables, row->size);
    *source = (struct swi_launcher){id, row->name, rank, -1, -1, -1, -1, -1};
    if (!rank || (row->size[0] && !size) || (id == SWI_LAUNCHER_SLURM && !slurm_is_task(variables)))
        return SWI_LAUNCHER_ABSENT;
    source->rank = swi_variable_number(variables, rank);
    source->size = size ? swi_variable_number(variables, size) : -1;
    if (source->rank < 0 || (size && source->rank >= source->size))
        return SWI_LAUNCHER_WRONG;
    source->local_rank = first_number(variables, row->local_rank);
    source->local_size = id == SWI_LAUNCHER_SLURM ? slurm_local_size(variables)
                                                  : first_number(variables, row->local_size);
    source->node = first_number(variables, row->node);
    swi_launcher_tidy(source);
    return SWI_LAUNCHER_THERE;
}

static bool equal(int64_t a, int64_t b)
{
    return a < 0 || b < 0 || a == b;
}

bool swi_launchers_agree(const struct swi_launcher *a, const struct swi_launcher *b)
{
    return equal(a->rank, b->rank) && equal(a->size, b->size) &&
           equal(a->local_size, b->local_size);
}

static bool is_mpi(enum swi_launcher_id id)
{
    return id >= SWI_LAUNCHER_OMPI && id <= SWI_LAUNCHER_PMIX;
}

/* Resource managers: they start processes, and MPI may start others within them. */
static bool is_manager(enum swi_launcher_id id)
{
    return id >= SWI_LAUNCHER_JSM && id <= SWI_LAUNCHER_SLURM;
}

static void drop(struct swi_choice *choice, enum swi_launcher_id id)
{
    size_t kept = 0;
    for (size_t i = 0; i < choice->count; i++)
        if (choice->source[i].id != id)
            choice->source[kept++] = choice->source[i];
    choice->count = kept;
}

/* A process of Open MPI that was not started by mpirun sets PMIX_RANK=0 for itself. So this source
 * counts only if no better one exists, or if prterun set it. */
static void drop_own_pmix(struct swi_choice *choice)
{
    bool better = false;
    for (size_t i = 0; i < choice->count; i++) {
        enum swi_launcher_id id = choice->source[i].id;
        better |= id != SWI_LAUNCHER_PMIX && (is_mpi(id) || is_manager(id));
    }
    if (better && !swi_variable(choice->variables, "PRTE_LAUNCHED"))
        drop(choice, SWI_LAUNCHER_PMIX);
}

/* Returns whether the world is larger than one node, so that it is not one of several equal worlds.
 */
static bool is_wide(const struct swi_launcher *source)
{
    return source->local_size > 0 && source->size > 0 && source->local_size < source->size;
}

/* ---- torch beside another source ---- */

/* Returns whether the other source started torchrun once on each node. */
static bool elastic_is_certain(const struct swi_choice *choice, const struct swi_launcher *torch,
                               const struct swi_launcher *other)
{
    int64_t groups = swi_variable_number(choice->variables, "GROUP_WORLD_SIZE");
    int64_t group = swi_variable_number(choice->variables, "GROUP_RANK");
    bool numbered = groups >= 0 && groups == other->size && group == other->rank;
    return numbered || (is_manager(other->id) && is_wide(torch));
}

/* Returns whether the other source starts one process on each node, which starts the workers, as
 * DeepSpeed and Ray do. */
static bool starts_nodes(const struct swi_launcher *torch, const struct swi_launcher *other)
{
    if (torch->local_rank < 0 || torch->local_size < 1 || torch->size < 2)
        return false;
    int64_t nodes = (torch->size + torch->local_size - 1) / torch->local_size;
    return nodes == other->size && (torch->node < 0 || torch->node == other->rank);
}

enum verdict { CERTAIN, NOT_CERTAIN, NOT_TORCH };

static enum verdict torch_beside(const struct swi_choice *choice, const struct swi_launcher *torch,
                                 const struct swi_launcher *other)
{
    if (swi_variable(choice->variables, "TORCHELASTIC_RUN_ID"))
        return elastic_is_certain(choice, torch, other) ? CERTAIN : NOT_CERTAIN;
    if (starts_nodes(torch, other))
        return CERTAIN;
    /* Variables that are left from another run have no local rank, or fewer processes. */
    return torch->local_rank >= 0 && torch->size > other->size ? NOT_CERTAIN : NOT_TORCH;
}

static enum verdict beside(const struct swi_choice *choice, const struct swi_launcher *best,
                           const struct swi_launcher *other)
{
    bool is_world = is_mpi(best->id) || best->id == SWI_LAUNCHER_HOROVOD;
    if (best->id == SWI_LAUNCHER_TORCH)
        return torch_beside(choice, best, other);
    return is_world && is_manager(other->id) && is_wide(best) ? CERTAIN : NOT_CERTAIN;
}

/* ---- the choice ---- */

/* Returns false if the first source does not count and was removed. */
static bool first_counts(struct swi_choice *choice)
{
    const struct swi_launcher *best = &choice->source[0];
    for (size_t i = 1; i < choice->count; i++) {
        const struct swi_launcher *other = &choice->source[i];
        if (other->size == 1 || swi_launchers_agree(best, other))
            continue;
        enum verdict verdict = beside(choice, best, other);
        choice->certain &= verdict == CERTAIN;
        if (verdict == NOT_TORCH) {
            drop(choice, SWI_LAUNCHER_TORCH);
            return false;
        }
    }
    return true;
}

const struct swi_launcher *swi_choose(struct swi_choice *choice)
{
    if (choice->source[0].id == SWI_LAUNCHER_STEPWATCH)
        return &choice->source[0];
    drop_own_pmix(choice);
    while (!first_counts(choice))
        continue;
    return &choice->source[0];
}
