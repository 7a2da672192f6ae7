/* SPDX-License-Identifier: MIT */
#include "core/ranks/choice.h"

#include <string.h>

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
