/* SPDX-License-Identifier: MIT */
#include "core/ranks/hosts.h"

#include <string.h>

static enum swi_launcher_state state_of(const struct swi_launcher *source, bool has_size)
{
    bool wrong = source->rank < 0 || (has_size && source->rank >= source->size);
    return wrong ? SWI_LAUNCHER_WRONG : SWI_LAUNCHER_THERE;
}

/* ---- TPU: the worker within a slice, and the slice ---- */

static int64_t names_in(const char *list)
{
    int64_t count = 1;
    while ((list = strchr(list, ',')))
        list++, count++;
    return count;
}

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
    int64_t hosts = names_in(names), worker = swi_variable_number(variables, "TPU_WORKER_ID");
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

enum swi_launcher_state swi_hosts_read(struct swi_launcher *source,
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
