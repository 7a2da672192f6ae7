/* SPDX-License-Identifier: MIT */
/* Chooses between sources that contradict each other. Launchers run within each other, variables
 * are inherited, and some are left from a shell. So the order alone does not decide, and a rank
 * that another source contradicts is not certain. */
#include "core/ranks/rank.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sources that number machines instead of processes: TPU, SageMaker, Kubernetes ----------- */

static enum swi_launcher_state state_of(const struct swi_launcher *source, bool has_size)
{
    bool wrong = source->rank < 0 || (has_size && source->rank >= source->size);
    return wrong ? SWI_LAUNCHER_WRONG : SWI_LAUNCHER_THERE;
}

/* ---- TPU: the worker within a slice, and the slice ---- */

/* Returns the fallback if the variable is not set, and -1 if it is not a number. */
static int64_t number_or(const struct swi_variables *variables, const char *name, int64_t fallback)
{
    return swi_variable(variables, name) ? swi_variable_number(variables, name) : fallback;
}

static enum swi_launcher_state tpu_read(struct swi_launcher *source,
                                        const struct swi_variables *variables)
{
    const char *names = swi_variable(variables, "TPU_WORKER_HOSTNAMES");
    *source = (struct swi_launcher){SWI_LAUNCHER_TPU, "tpu", "TPU_WORKER_ID", -1, -1, -1, -1, -1};
    if (!names || !swi_variable(variables, "TPU_WORKER_ID"))
        return SWI_LAUNCHER_ABSENT;
    int64_t hosts = swi_entries(names), worker = swi_variable_number(variables, "TPU_WORKER_ID");
    int64_t slice = number_or(variables, "MEGASCALE_SLICE_ID", 0);
    int64_t slices = number_or(variables, "MEGASCALE_NUM_SLICES", 1);
    bool fits = worker >= 0 && worker < hosts && slice >= 0 && slice < slices;
    source->rank = fits ? slice * hosts + worker : -1;
    source->size = fits ? hosts * slices : -1;
    return state_of(source, true);
}

/* ---- SageMaker: a host's place in a JSON list of names ---- */

/* Finds the next text of the list and sets its place and length. Returns the rest of the list, or
 * NULL at the end. */
static const char *next_name(const char *list, const char **name, size_t *length)
{
    const char *begin = strchr(list, '"');
    const char *end = begin ? strchr(begin + 1, '"') : NULL;
    if (!end)
        return NULL;
    *name = begin + 1;
    *length = (size_t)(end - begin - 1);
    return end + 1;
}

static enum swi_launcher_state sagemaker_read(struct swi_launcher *source,
                                              const struct swi_variables *variables)
{
    const char *list = swi_variable(variables, "SM_HOSTS"), *name;
    const char *own = swi_variable(variables, "SM_CURRENT_HOST");
    size_t length;
    *source = (struct swi_launcher){
        SWI_LAUNCHER_SAGEMAKER, "sagemaker", "SM_CURRENT_HOST", -1, -1, -1, -1, -1};
    if (!list || !own)
        return SWI_LAUNCHER_ABSENT;
    source->size = 0;
    while ((list = next_name(list, &name, &length))) {
        if (length == strlen(own) && memcmp(name, own, length) == 0 && source->rank < 0)
            source->rank = source->size;
        source->size++;
    }
    return state_of(source, true);
}

/* ---- Kubernetes: an indexed job, which does not say how many there are ---- */

static enum swi_launcher_state kubernetes_read(struct swi_launcher *source,
                                               const struct swi_variables *variables)
{
    *source = (struct swi_launcher){
        SWI_LAUNCHER_KUBERNETES, "kubernetes", "JOB_COMPLETION_INDEX", -1, -1, -1, -1, -1};
    if (!swi_variable(variables, "JOB_COMPLETION_INDEX"))
        return SWI_LAUNCHER_ABSENT;
    source->rank = swi_variable_number(variables, "JOB_COMPLETION_INDEX");
    return state_of(source, false);
}

/* Reads the first of them that is present, or else the first that is wrong. They count only if no
 * launcher gives a rank. */
static enum swi_launcher_state hosts_read(struct swi_launcher *source,
                                          const struct swi_variables *variables)
{
    static enum swi_launcher_state (*const readers[])(
        struct swi_launcher *, const struct swi_variables *) = {tpu_read, sagemaker_read,
                                                                kubernetes_read};
    enum swi_launcher_state found = SWI_LAUNCHER_ABSENT;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && found != SWI_LAUNCHER_THERE; i++) {
        struct swi_launcher read;
        enum swi_launcher_state state = readers[i](&read, variables);
        if (state == SWI_LAUNCHER_THERE ||
            (state == SWI_LAUNCHER_WRONG && found != SWI_LAUNCHER_WRONG)) {
            *source = read;
            found = state;
        }
    }
    return found;
}

/* ---- reading all sources ---- */

static void warn(struct swi_rank *rank, const struct swi_launcher *wrong,
                 const struct swi_variables *variables)
{
    const char *value = swi_variable(variables, wrong->variable);
    rank->certain = false;
    if (*rank->warning)
        return;
    if (wrong->rank < 0)
        snprintf(rank->warning, sizeof rank->warning,
                 "%s is \"%.64s\", which is not a rank: expected a number from 0; the variables "
                 "of %s are not used",
                 wrong->variable, value ? value : "", wrong->name);
    else
        snprintf(rank->warning, sizeof rank->warning,
                 "%s is %" PRId64 ", and the number of processes is not a greater number; the "
                 "variables of %s are not used",
                 wrong->variable, wrong->rank, wrong->name);
}

static void note(struct swi_choice *choice, struct swi_rank *rank, enum swi_launcher_state state,
                 const struct swi_launcher *source, const struct swi_variables *variables)
{
    if (state == SWI_LAUNCHER_THERE)
        choice->source[choice->count++] = *source;
    else if (state == SWI_LAUNCHER_WRONG)
        warn(rank, source, variables);
}

static void read_all(struct swi_choice *choice, struct swi_rank *rank,
                     const struct swi_rank_given *given, const struct swi_variables *variables)
{
    struct swi_launcher source;
    enum swi_launcher_state state = given->size > 0 ? SWI_LAUNCHER_THERE : SWI_LAUNCHER_ABSENT;
    source = (struct swi_launcher){
        SWI_LAUNCHER_STEPWATCH, "configuration", NULL, given->rank, given->size, -1, -1, -1};
    note(choice, rank, state, &source, variables);
    for (enum swi_launcher_id id = 0; id < SWI_LAUNCHER_TPU; id++) {
        state = swi_launcher_read(&source, id, variables);
        note(choice, rank, state, &source, variables);
    }
    if (choice->count)
        return;
    state = hosts_read(&source, variables);
    note(choice, rank, state, &source, variables);
}

/* ---- what the sources together say ---- */

static int64_t known(int64_t number, int64_t otherwise)
{
    return number >= 0 ? number : otherwise;
}

static const struct swi_launcher *slurm_of(const struct swi_choice *choice)
{
    for (size_t i = 0; i < choice->count; i++)
        if (choice->source[i].id == SWI_LAUNCHER_SLURM)
            return &choice->source[i];
    return NULL;
}

/* Takes the numbers that the chosen source does not have from sources that agree with it. */
static void complete(struct swi_launcher *chosen, const struct swi_choice *choice)
{
    const struct swi_launcher *slurm = slurm_of(choice);
    for (size_t i = 0; i < choice->count; i++) {
        const struct swi_launcher *other = &choice->source[i];
        if (!swi_launchers_agree(chosen, other))
            continue;
        chosen->size = known(chosen->size, other->size);
        chosen->local_rank = known(chosen->local_rank, other->local_rank);
        chosen->local_size = known(chosen->local_size, other->local_size);
        chosen->node = known(chosen->node, other->node);
    }
    chosen->node = known(chosen->node, slurm ? slurm->node : -1);
    swi_launcher_tidy(chosen);
}

static void take(struct swi_rank *rank, const struct swi_launcher *chosen)
{
    rank->rank = chosen->rank;
    rank->size = chosen->size;
    rank->local_rank = chosen->local_rank;
    rank->local_size = chosen->local_size;
    rank->node = chosen->node;
    rank->source = chosen->name;
    rank->variable = chosen->variable;
}

/* ---- the job ---- */

static const char *job_of(const struct swi_variables *variables)
{
    static const char *const names[] = {"SLURM_JOB_ID", "FLUX_JOB_ID",   "LSB_JOBID",
                                        "PBS_JOBID",    "PALS_APID",     "TORCHELASTIC_RUN_ID",
                                        "PMI_JOBID",    "PMIX_NAMESPACE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = swi_variable(variables, names[i]);
        /* Without --rdzv-id, torchrun calls every job none. */
        bool is_none =
            value && strcmp(names[i], "TORCHELASTIC_RUN_ID") == 0 && strcmp(value, "none") == 0;
        if (value && !is_none)
            return value;
    }
    return NULL;
}

static int64_t attempt_of(const struct swi_variables *variables)
{
    int64_t torch = swi_variable_number(variables, "TORCHELASTIC_RESTART_COUNT");
    int64_t slurm = swi_variable_number(variables, "SLURM_RESTART_COUNT");
    return known(torch, known(slurm, 0));
}

/* Copies a text, or "" if it does not fit: a cut text could be that of another job. */
static void text_set(char *text, size_t size, const char *value)
{
    if (snprintf(text, size, "%s", value ? value : "") >= (int)size)
        *text = '\0';
}

static void run_set(struct swi_rank *rank, const struct swi_variables *variables)
{
    const char *step = swi_variable(variables, "SLURM_STEP_ID");
    const char *given = swi_variable(variables, "STEPWATCH_RUN");
    bool by_slurm = step && strcmp(rank->source, "slurm") == 0;
    char attempt[32] = "";
    if (rank->attempt > 0)
        snprintf(attempt, sizeof attempt, "-a%" PRId64, rank->attempt);
    if (given)
        text_set(rank->run, sizeof rank->run, given);
    else if (*rank->job)
        snprintf(rank->run, sizeof rank->run, "%.255s%s%.20s%s", rank->job, by_slurm ? "-" : "",
                 by_slurm ? step : "", attempt);
}

/* ---- the whole ---- */

void swi_rank_find(struct swi_rank *rank, const struct swi_rank_given *given,
                   const struct swi_variables *variables)
{
    struct swi_choice choice = {.certain = true, .variables = variables};
    *rank = (struct swi_rank){0, 1, -1, -1, -1, 0, "none", NULL, true, "", "", ""};
    read_all(&choice, rank, given, variables);
    if (choice.count) {
        const struct swi_launcher *best = swi_choose(&choice);
        struct swi_launcher chosen = *best;
        complete(&chosen, &choice);
        take(rank, &chosen);
        rank->certain = chosen.id == SWI_LAUNCHER_STEPWATCH || (rank->certain && choice.certain);
    }
    text_set(rank->job, sizeof rank->job, job_of(variables));
    rank->attempt = attempt_of(variables);
    run_set(rank, variables);
}

static const char *variable_here(const void *arg, const char *name)
{
    (void)arg;
    return secure_getenv(name);
}

void swi_rank_find_here(struct swi_rank *rank, const struct swi_rank_given *given)
{
    swi_rank_find(rank, given, &(struct swi_variables){variable_here, NULL});
}

void swi_run_set_rank(struct sw_run *run, const struct swi_rank *rank)
{
    run->rank = rank->rank;
    run->world_size = rank->size < 0 ? 0 : rank->size;
    run->local_rank = rank->local_rank;
    run->local_size = rank->local_size < 0 ? 0 : rank->local_size;
    run->node = rank->node;
    run->attempt = rank->attempt;
    run->job = rank->job;
    run->rank_source = rank->source;
    run->rank_certain = rank->certain;
    run->id = rank->run;
    run->rank_files = "";
}

/* ---- describing it ---- */

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

static void describe_known(const struct swi_rank *rank, char *text, size_t size)
{
    append(text, size, " (%s%s%s)", rank->source, rank->variable ? ": " : "",
           rank->variable ? rank->variable : "");
    if (rank->local_rank >= 0)
        append(text, size, ", local rank %" PRId64, rank->local_rank);
    if (rank->local_rank >= 0 && rank->local_size >= 0)
        append(text, size, " of %" PRId64, rank->local_size);
    if (rank->node >= 0)
        append(text, size, ", node %" PRId64, rank->node);
}

const char *swi_rank_describe(const struct swi_rank *rank, char *text, size_t size)
{
    bool found = strcmp(rank->source, "none") != 0;
    snprintf(text, size, "rank %" PRId64 " of ", rank->rank);
    if (rank->size >= 0)
        append(text, size, "%" PRId64, rank->size);
    else
        append(text, size, "an unknown number");
    if (found)
        describe_known(rank, text, size);
    else
        append(text, size, ": no launcher was found");
    if (*rank->job)
        append(text, size, ", job %s", rank->job);
    if (rank->attempt > 0)
        append(text, size, ", attempt %" PRId64, rank->attempt);
    if (!rank->certain)
        append(text, size, "; this is not certain: the environment contradicts itself");
    return text;
}
