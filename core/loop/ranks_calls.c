/* SPDX-License-Identifier: MIT */
/* Calls for an engine that connects the ranks of a distributed run. */
#include "core/loop/inherited_profiler.h"
#include "core/loop/state.h"
#include "core/process/own_floats.h"
#include "core/records/recorder.h"

#include <stepwatch/ranks.h>

#include <stdlib.h>
#include <string.h>

static int refuse(const struct sw_profiler *sw, const char *what, struct sw_error *err)
{
    if (!sw)
        return sw_error_set(err, SW_EINVAL, "%s needs a profiler, but the one given is NULL", what);
    return swi_is_inherited(&sw->measured) ? swi_inherited_refuse(sw, err) : 0;
}

/* ---- what is known of all ranks -------------------------------------------------------------- */

int sw_log_ranks(struct sw_profiler *sw, const struct sw_ranks *ranks, struct sw_error *err)
{
    int rc = refuse(sw, "a report of all ranks", err);
    if (rc < 0)
        return rc;
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    struct sw_ranks *copy = sw_ranks_copy(ranks);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a report of all ranks");
    swi_recorder_ranks(&sw->records, copy, swi_clock_tick(&sw->measured.clock));
    return 0;
}

void sw_log_clock(struct sw_profiler *sw, int64_t offset_ns, int64_t error_ns)
{
    if (!sw || swi_is_inherited(&sw->measured))
        return;
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    swi_recorder_clock(&sw->records, offset_ns, error_ns, swi_clock_tick(&sw->measured.clock));
}

/* ---- what an engine asks of a rank ----------------------------------------------------------- */

const struct sw_run *sw_get_run(const struct sw_profiler *sw)
{
    return sw ? &sw->records.run : NULL;
}

int64_t sw_now(struct sw_profiler *sw)
{
    SWI_OWN_FLOATS;
    return sw ? swi_clock_ns(&sw->measured.clock, swi_clock_tick(&sw->measured.clock)) : 0;
}

int sw_keep_steps(struct sw_profiler *sw, struct sw_error *err)
{
    struct swi_step_history *none = NULL;
    int rc = refuse(sw, "keeping steps", err);
    if (rc < 0 || atomic_load(&sw->records.history))
        return rc;
    struct swi_step_history *history = swi_step_history_new();
    if (!history)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to keep steps");
    if (!atomic_compare_exchange_strong(&sw->records.history, &none, history))
        swi_step_history_free(history);
    swi_pipeline_want(sw->records.pipeline, SW_WANT(SW_RECORD_STEP));
    return 0;
}

/* ---- a copy of the steps: one block ---------------------------------------------------------- */

struct copied_steps {
    struct sw_steps steps;
    const char *action[SWI_HISTORY_ACTIONS];
    const double *value[SWI_HISTORY_ACTIONS];
    double values[];
};

/* With the lock held. */
static struct copied_steps *steps_copy(const struct swi_step_history *history)
{
    size_t columns = swi_step_history_columns(history);
    struct copied_steps *copy =
        calloc(1, sizeof *copy + history->rows * columns * sizeof *copy->values);
    if (!copy)
        return NULL;
    copy->steps = (struct sw_steps){.size = sizeof copy->steps,
                                    .steps = history->steps,
                                    .block = history->block,
                                    .columns = columns,
                                    .actions = history->rows,
                                    .action = copy->action,
                                    .value = copy->value};
    for (size_t a = 0; a < history->rows; a++) {
        copy->action[a] = sw_action_name(history->row[a].action);
        copy->value[a] = copy->values + a * columns;
        for (size_t c = 0; c < columns; c++)
            copy->values[a * columns + c] = swi_step_history_mean(history, a, c);
    }
    return copy;
}

int sw_steps_new(struct sw_profiler *sw, struct sw_steps **steps, struct sw_error *err)
{
    SWI_OWN_FLOATS;
    int rc = refuse(sw, "a copy of the steps", err);
    if (rc < 0)
        return rc;
    struct swi_step_history *history = atomic_load(&sw->records.history);
    if (!history)
        return sw_error_set(err, SW_EINVAL, "no steps are kept: call sw_keep_steps() first");
    SWI_FOLDED(&sw->measured);
    pthread_mutex_lock(&history->lock);
    struct copied_steps *copy = steps_copy(history);
    pthread_mutex_unlock(&history->lock);
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a copy of the steps");
    *steps = &copy->steps;
    return 0;
}

void sw_steps_free(struct sw_steps *steps)
{
    free(steps);
}
