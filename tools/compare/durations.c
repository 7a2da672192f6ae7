/* SPDX-License-Identifier: MIT */
#include "tools/compare/comparison.h"

#include "core/text/parts.h"
#include "core/text/vec.h"
#include "tools/log/log_lines.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

/* ---- what each action took in each step ------------------------------------------------------ */

static struct per_step *item_find(const struct per_steps *steps, enum sw_phase phase,
                                  const char *action, const struct sw_counter_info *counter)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct per_step *item = &steps->item[(steps->next + i) % steps->count];
        if (item->phase == phase && strcmp(item->action, action) == 0 &&
            (!counter || strcmp(item->counter, counter->name) == 0))
            return item;
    }
    return NULL;
}

static struct per_step *item_new(struct per_steps *steps, enum sw_phase phase, const char *action,
                                 const struct sw_counter_info *counter)
{
    struct per_step item = {.phase = phase, .action_id = sw_action(action), .action = action};
    item.counter = counter ? strdup(counter->name) : NULL;
    item.unit = counter ? strdup(counter->unit) : NULL;
    item.peak = counter && counter->kind != SW_COUNTER_SUM;
    bool fits = (!counter || (item.counter && item.unit)) &&
                swi_vec_room(&steps->item, steps->count, sizeof *steps->item);
    if (!fits) {
        free(item.counter);
        free(item.unit);
        steps->failed = true;
        return NULL;
    }
    steps->item[steps->count] = item;
    return &steps->item[steps->count++];
}

/* Adds to the step that is read. counter: NULL for the time. Names that are too long, or too many,
 * are others in a report. */
static void value_add(struct per_steps *steps, enum sw_phase phase, const char *action,
                      const struct sw_counter_info *counter, int64_t value)
{
    struct per_step *item = item_find(steps, phase, action, counter);
    if (!item) {
        action = sw_action_name(sw_action(action));
        item = item_find(steps, phase, action, counter);
    }
    item = item ? item : item_new(steps, phase, action, counter);
    if (!item)
        return;
    steps->next = (size_t)(item - steps->item) + 1;
    if (counter && value == SW_COUNTER_NONE) {
        item->missed = true;
        return;
    }
    if (!item->peak)
        item->sum = (int64_t)((uint64_t)item->sum + (uint64_t)value);
    else if (!item->any || value > item->sum)
        item->sum = value;
    item->any = true;
}

/* Steps without the action had none of it. */
static void fill_up(struct per_step *item, int64_t steps)
{
    means_add(&item->value, 0, steps - item->value.count - item->unknown);
}

/* Ends the step that is read, or the sums of several. A peak is that of one of the steps. */
static void step_end(struct per_steps *steps, enum sw_phase phase, int64_t count)
{
    for (size_t i = 0; i < steps->count; i++) {
        struct per_step *item = &steps->item[i];
        if (item->phase != phase)
            continue;
        fill_up(item, steps->steps[phase]);
        if (item->missed)
            item->unknown += count;
        else
            means_add(&item->value, (double)item->sum * (item->peak ? (double)count : 1), count);
        item->any = item->missed = false;
        item->sum = 0;
    }
    steps->steps[phase] += count;
}

/* Sorts the whole step before its parts. */
static int rank(const struct per_step *item)
{
    return item->action_id == SW_STEP ? -1 : item->action_id;
}

static int by_phase_and_name(const void *a, const void *b)
{
    const struct per_step *x = a, *y = b;
    if (x->phase != y->phase)
        return (x->phase > y->phase) - (x->phase < y->phase);
    if (rank(x) != rank(y))
        return (rank(x) > rank(y)) - (rank(x) < rank(y));
    return x->counter ? strcmp(x->counter, y->counter) : 0;
}

/* Call it after the last step. */
static void steps_finish(struct per_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++)
        fill_up(&steps->item[i], steps->steps[steps->item[i].phase]);
    if (steps->count)
        qsort(steps->item, steps->count, sizeof *steps->item, by_phase_and_name);
}

static void steps_free(struct per_steps *steps)
{
    for (size_t i = 0; i < steps->count; i++) {
        free(steps->item[i].counter);
        free(steps->item[i].unit);
    }
    free(steps->item);
}

/* Returns whether a step counts. The first of its phase in a fit includes warm-up time. */
static bool step_counts(const struct durations *d, struct per_steps *steps, int64_t fit,
                        enum sw_phase phase)
{
    if (fit != steps->fit)
        memset(steps->any, 0, sizeof steps->any);
    steps->fit = fit;
    bool first = !steps->any[phase];
    steps->any[phase] = true;
    return !first || !d->drop_first;
}

static void samples_add(struct durations *d, enum sw_phase phase, int64_t samples)
{
    d->samples += phase == SW_PHASE_TRAIN ? (double)samples : 0;
}

/* ---- a log of steps: line by line ------------------------------------------------------------ */

/* Mode throughput leaves out what it says of a batch. */
static bool is_measured(const struct durations *d, const char *action)
{
    return !d->throughput || !SWI_IS_ONE_OF(action, "forward", "loss", "backward", "opt_step",
                                            "zero_grad", "predict");
}

static void times_take(struct durations *d, enum sw_phase phase, const struct log_value *times)
{
    for (const struct log_value *k = log_first_key(times); k; k = log_next_key(times, k))
        if (is_measured(d, k->text))
            value_add(&d->times, phase, k->text, NULL, log_ns_sum(k + 1));
}

/* Calls inside others of the same action are contained in those. */
static void step_line_take(struct durations *d, const struct log_value *line)
{
    bool valid = strcmp(log_string(line, "phase", "train"), "valid") == 0;
    enum sw_phase phase = valid ? SW_PHASE_VALID : SW_PHASE_TRAIN;
    const struct log_value *durations = log_get(line, "durations");
    int64_t samples = log_integer(line, "samples", 0);
    if (samples < 0 || !log_is(durations, LOG_OBJECT) ||
        !step_counts(d, &d->times, (int64_t)d->fits.count, phase))
        return;
    value_add(&d->times, phase, sw_action_name(SW_STEP), NULL,
              log_ns_sum(log_get(durations, "draw")) + log_ns_sum(log_get(durations, "batch")));
    times_take(d, phase, log_get(log_get(line, "in_draw"), "durations"));
    times_take(d, phase, durations);
    step_end(&d->times, phase, thinned_steps_of(line));
    samples_add(d, phase, samples);
}

/* ---- a log of regions: the steps that a replay makes of it ----------------------------------- */

/* The lines of steps have their durations already, but not which counter each use is of. */
static void part_take(struct durations *d, enum sw_phase phase, const struct sw_step_part *part,
                      const char *action)
{
    if (d->replay.regions)
        value_add(&d->times, phase, action, NULL, part->duration_ns);
    for (size_t i = 0; i < part->use_count; i++) {
        const struct sw_counter_use *use = sw_step_part_use(part, i);
        value_add(&d->uses, phase, action, use->counter, use->value);
    }
}

/* Calls inside others are contained in those. */
static void take_step(struct durations *d, const struct sw_record *record)
{
    const struct sw_step *step =
        record->step_done->sum ? record->step_done->sum : record->step_done;
    if (step->samples < 0 || !step_counts(d, &d->uses, record->fit, step->phase))
        return;
    for (size_t i = 0; i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        if (part->inner)
            continue;
        if (part->action_id == SW_DRAW || part->action_id == SW_BATCH)
            part_take(d, step->phase, part, sw_action_name(SW_STEP));
        part_take(d, step->phase, part, part->action);
    }
    step_end(&d->uses, step->phase, step->steps);
    if (!d->replay.regions)
        return;
    step_end(&d->times, step->phase, step->steps);
    samples_add(d, step->phase, step->samples);
}

static int take_record(void *arg, struct sw_sink *sink, const struct sw_record *record,
                       struct sw_error *err)
{
    struct durations *d = arg;
    (void)sink;
    (void)err;
    log_fits_record(&d->fits, record);
    if (record->type == SW_RECORD_STEP)
        take_step(d, record);
    return 0;
}

static void take_line(void *arg, const struct log_value *line)
{
    struct durations *durations = arg;
    log_fits_line(&durations->fits, line);
    if (!durations->replay.regions && log_is_type(line, LINE_STEP))
        step_line_take(durations, line);
    if (!log_is_type(line, LINE_RUN) || durations->host)
        return;
    durations->host = strdup(log_string(line, "host", ""));
    durations->throughput = strcmp(log_string(line, "mode", ""), "throughput") == 0;
    durations->drop_first = !log_false(line, "drop_first_batch");
}

static void findings_take(void *arg, int64_t number, int64_t steps, int64_t judged,
                          struct swi_advice *advice)
{
    struct durations *d = arg;
    (void)number;
    (void)judged;
    if (steps > 0 && !findings_join(&d->advice, advice))
        d->fits.failed = true;
    swi_advice_free(advice);
}

int durations_read(struct durations *durations, const char *path, struct sw_error *err)
{
    *durations = (struct durations){.replay = {.path = path,
                                               .line = take_line,
                                               .record = take_record,
                                               .wants = SW_WANT(SW_RECORD_STEP),
                                               .wants_of_regions = LOG_FITS_WANTS,
                                               .arg = durations,
                                               .leave_out = true,
                                               .calls_only = true,
                                               .wants_metric = swi_is_memory_name},
                                    .fits = {.tell = findings_take, .arg = durations}};
    int rc = replay_run(&durations->replay, err);
    steps_finish(&durations->times);
    steps_finish(&durations->uses);
    if (rc == 0 && (durations->times.failed || durations->uses.failed))
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the durations of the steps");
    if (rc == 0 && !durations->times.count)
        rc = sw_error_set(err, SW_EFORMAT, "%s: contains no steps to compare: %s", path,
                          durations->replay.results_only
                              ? "record it with detail: steps or regions"
                              : "none ended, or only the first ones, which are left out");
    if (rc == 0)
        log_fits_tell(&durations->fits);
    if (rc == 0 && durations->fits.failed)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the steps of the log");
    return rc;
}

void durations_free(struct durations *durations)
{
    steps_free(&durations->times);
    steps_free(&durations->uses);
    log_fits_free(&durations->fits);
    swi_advice_free(&durations->advice);
    free(durations->host);
    *durations = (struct durations){0};
}
