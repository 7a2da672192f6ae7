/* SPDX-License-Identifier: MIT */
#include "tools/compare/comparison.h"

#include "core/text/parts.h"
#include "core/text/vec.h"
#include "tools/log/log_lines.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

/* ---- what each action used of each counter --------------------------------------------------- */

static struct step_counter *item_new(struct step_counters *counters)
{
    if (!swi_vec_room(&counters->item, counters->count, sizeof *counters->item))
        return NULL;
    return memset(&counters->item[counters->count++], 0, sizeof *counters->item);
}

static struct step_counter *item_get(struct step_counters *counters, enum sw_phase phase,
                                     int action, const struct sw_counter_info *counter)
{
    for (size_t i = 0; i < counters->count; i++)
        if (counters->item[i].phase == phase && counters->item[i].action_id == action &&
            strcmp(counters->item[i].name, counter->name) == 0)
            return &counters->item[i];
    char *name = strdup(counter->name), *unit = strdup(counter->unit);
    struct step_counter *item = name && unit ? item_new(counters) : NULL;
    if (!item) {
        free(name);
        free(unit);
        return NULL;
    }
    *item = (struct step_counter){.phase = phase,
                                  .action_id = action,
                                  .action = sw_action_name(action),
                                  .name = name,
                                  .unit = unit,
                                  .kind = counter->kind};
    return item;
}

static void use_add(struct step_counter *item, int64_t value)
{
    item->missed = item->missed || value == SW_COUNTER_NONE;
    if (value == SW_COUNTER_NONE)
        return;
    if (item->kind == SW_COUNTER_SUM)
        item->sum = (int64_t)((uint64_t)item->sum + (uint64_t)value);
    else if (!item->any || value > item->sum)
        item->sum = value;
    item->any = true;
}

static bool part_take(struct step_counters *counters, enum sw_phase phase,
                      const struct sw_step_part *part, int action)
{
    for (size_t i = 0; i < part->use_count; i++) {
        const struct sw_counter_use *use = sw_step_part_use(part, i);
        struct step_counter *item = item_get(counters, phase, action, use->counter);
        if (!item)
            return false;
        use_add(item, use->value);
    }
    return true;
}

/* Steps that came before the first call of the action had none of it. */
static void fill_up_use(struct step_counter *item, int64_t steps)
{
    means_add(&item->use, 0, steps - item->use.count - item->unknown);
}

/* A peak is that of one of the steps. */
static double sum_of_uses(const struct step_counter *item, int64_t steps)
{
    return (double)item->sum * (item->kind == SW_COUNTER_SUM ? 1 : (double)steps);
}

static void uses_end(struct step_counters *counters, enum sw_phase phase, int64_t steps,
                     int64_t before)
{
    for (size_t i = 0; i < counters->count; i++) {
        struct step_counter *item = &counters->item[i];
        if (item->phase != phase)
            continue;
        fill_up_use(item, before);
        if (item->missed)
            item->unknown += steps;
        else
            means_add(&item->use, sum_of_uses(item, steps), steps);
        item->any = item->missed = false;
        item->sum = 0;
    }
}

/* Adds a step; before: how many of its phase came before it. Returns 0 or SW_ENOMEM. */
static int step_counters_take(struct step_counters *counters, const struct sw_step *step,
                              int64_t before, struct sw_error *err)
{
    bool fine = true;
    for (size_t i = 0; fine && i < step->count; i++) {
        const struct sw_step_part *part = sw_step_part_at(step, i);
        bool whole = part->action_id == SW_DRAW || part->action_id == SW_BATCH;
        if (part->inner)
            continue;
        fine = (!whole || part_take(counters, step->phase, part, SW_STEP)) &&
               part_take(counters, step->phase, part, part->action_id);
    }
    uses_end(counters, step->phase, step->steps, before);
    return fine ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory for the counters");
}

/* Sorts the whole step before its parts, and the counters by name. */
static int by_phase_and_name(const void *a, const void *b)
{
    const struct step_counter *x = a, *y = b;
    int first = x->action_id == SW_STEP ? -1 : x->action_id;
    int second = y->action_id == SW_STEP ? -1 : y->action_id;
    if (x->phase != y->phase)
        return (x->phase > y->phase) - (x->phase < y->phase);
    return first != second ? (first > second) - (first < second) : strcmp(x->name, y->name);
}

/* Call it after the last step. */
static void step_counters_finish(struct step_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++)
        fill_up_use(&counters->item[i], counters->seen.steps[counters->item[i].phase]);
    if (counters->count)
        qsort(counters->item, counters->count, sizeof *counters->item, by_phase_and_name);
}

static void step_counters_free(struct step_counters *counters)
{
    for (size_t i = 0; i < counters->count; i++) {
        free(counters->item[i].name);
        free(counters->item[i].unit);
    }
    free(counters->item);
    *counters = (struct step_counters){0};
}

/* ---- how long each action took --------------------------------------------------------------- */

/* Adds 0 for steps without the action, up to the number of steps. */
static void fill_up(struct duration *duration, int64_t steps)
{
    means_add(&duration->ns, 0, steps - duration->ns.count);
}

static struct duration *find(const struct durations *d, enum sw_phase phase, int action)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->item[i].phase == phase && d->item[i].action_id == action)
            return &d->item[i];
    return NULL;
}

static struct duration *find_or_add(struct durations *d, enum sw_phase phase, int action)
{
    struct duration *found = find(d, phase, action);
    if (found)
        return found;
    if (!swi_vec_room(&d->item, d->count, sizeof *d->item))
        return NULL;
    d->item[d->count] =
        (struct duration){.phase = phase, .action_id = action, .action = sw_action_name(action)};
    return &d->item[d->count++];
}

/* ns: of so many steps together. */
static void duration_add(struct durations *d, struct duration *duration, int64_t ns, int64_t steps)
{
    d->failed = d->failed || !duration;
    if (!duration)
        return;
    fill_up(duration, d->seen.steps[duration->phase]);
    means_add(&duration->ns, (double)ns, steps);
}

/* Returns whether a step counts. The first of its phase in a fit includes warm-up time. */
static bool step_counts(const struct durations *d, struct steps_seen *seen, int64_t fit,
                        enum sw_phase phase)
{
    if (fit != seen->fit)
        memset(seen->any, 0, sizeof seen->any);
    seen->fit = fit;
    bool first = !seen->any[phase];
    seen->any[phase] = true;
    return !first || !d->drop_first;
}

static void step_end(struct durations *d, enum sw_phase phase, int64_t samples, int64_t steps)
{
    d->seen.steps[phase] += steps;
    if (phase == SW_PHASE_TRAIN)
        d->samples += (double)samples;
}

/* ---- a log of steps: line by line ------------------------------------------------------------ */

/* Actions follow each other as in the line before. */
static struct duration *named(struct durations *d, enum sw_phase phase, const char *action)
{
    size_t next = d->next;
    struct duration *found;
    if (next < d->count && d->item[next].phase == phase &&
        strcmp(d->item[next].action, action) == 0)
        found = &d->item[next];
    else
        found = find_or_add(d, phase, sw_action(action));
    d->next = found ? (size_t)(found - d->item) + 1 : 0;
    return found;
}

/* Mode throughput leaves out what it says of a batch. */
static bool is_measured(const struct durations *d, const char *action)
{
    return !d->throughput || !SWI_IS_ONE_OF(action, "forward", "loss", "backward", "opt_step",
                                            "zero_grad", "predict");
}

/* Calls inside others of the same action are contained in those. */
static void line_durations_take(struct durations *d, const struct log_value *line,
                                enum sw_phase phase)
{
    const struct log_value *durations = log_get(line, "durations");
    const struct log_value *drawn = log_get(log_get(line, "in_draw"), "durations");
    int64_t steps = thinned_steps_of(line);
    int64_t whole =
        log_ns_sum(log_get(durations, "draw")) + log_ns_sum(log_get(durations, "batch"));
    duration_add(d, find_or_add(d, phase, SW_STEP), whole, steps);
    for (const struct log_value *k = log_first_key(drawn); k; k = log_next_key(drawn, k))
        if (is_measured(d, k->text))
            duration_add(d, named(d, phase, k->text),
                         log_ns_sum(k + 1) + log_ns_sum(log_get(durations, k->text)), steps);
    for (const struct log_value *k = log_first_key(durations); k; k = log_next_key(durations, k))
        if (is_measured(d, k->text) && !log_get(drawn, k->text))
            duration_add(d, named(d, phase, k->text), log_ns_sum(k + 1), steps);
}

static void step_line_take(struct durations *d, const struct log_value *line)
{
    bool valid = strcmp(log_string(line, "phase", "train"), "valid") == 0;
    enum sw_phase phase = valid ? SW_PHASE_VALID : SW_PHASE_TRAIN;
    int64_t samples = log_integer(line, "samples", 0);
    if (samples < 0 || !log_is(log_get(line, "durations"), LOG_OBJECT) ||
        !step_counts(d, &d->seen, (int64_t)d->explained.fits.count, phase))
        return;
    line_durations_take(d, line, phase);
    step_end(d, phase, samples, thinned_steps_of(line));
}

/* ---- a log of regions: the steps that a replay makes of it ----------------------------------- */

/* Filled by the sink. There is one replay at a time. */
static struct durations *now;

/* Returns the sum of all calls of one action within the step, at the first of them. Calls inside
 * others are contained in those. */
static int64_t sum_of(const struct sw_step *step, size_t first)
{
    int64_t ns = sw_step_part_at(step, first)->inner ? -1 : 0;
    for (size_t i = 0; i < step->count; i++) {
        if (sw_step_part_at(step, i)->action_id != sw_step_part_at(step, first)->action_id ||
            sw_step_part_at(step, i)->inner)
            continue;
        if (i < first || ns < 0)
            return -1;
        ns += sw_step_part_at(step, i)->duration_ns;
    }
    return ns;
}

static int64_t whole_of(const struct sw_step *step)
{
    int64_t ns = 0;
    for (size_t i = 0; i < step->count; i++)
        if (sw_step_part_at(step, i)->action_id == SW_DRAW ||
            sw_step_part_at(step, i)->action_id == SW_BATCH)
            ns += sw_step_part_at(step, i)->duration_ns;
    return ns;
}

static void step_durations_take(struct durations *d, const struct sw_step *step)
{
    duration_add(d, find_or_add(d, step->phase, SW_STEP), whole_of(step), step->steps);
    for (size_t i = 0; i < step->count; i++) {
        int64_t ns = sum_of(step, i);
        if (ns >= 0)
            duration_add(d, find_or_add(d, step->phase, sw_step_part_at(step, i)->action_id), ns,
                         step->steps);
    }
    step_end(d, step->phase, step->samples, step->steps);
}

/* The lines of steps have their durations already, but not which counter each use is of. */
static int take_step(const struct sw_record *record, struct sw_error *err)
{
    const struct sw_step *step =
        record->step_done->sum ? record->step_done->sum : record->step_done;
    struct steps_seen *seen = &now->counters.seen;
    if (step->samples < 0 || !step_counts(now, seen, record->fit, step->phase))
        return 0;
    if (now->replay.regions)
        step_durations_take(now, step);
    int rc = step_counters_take(&now->counters, step, seen->steps[step->phase], err);
    seen->steps[step->phase] += step->steps;
    return rc;
}

static int take_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    (void)state;
    log_fits_record(&now->explained.fits, record);
    return record->type == SW_RECORD_STEP ? take_step(record, err) : 0;
}

/* A log with steps needs no marks and metrics. */
static int durations_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    (void)state;
    (void)err;
    if (!now->replay.regions)
        sw_sink_want(sink, SW_WANT(SW_RECORD_STEP));
    return 0;
}

static const struct sw_sink_plugin durations_sink = {
    REPLAY_SINK,           .name = "durations", .wants = LOG_FITS_WANTS, .open = durations_open,
    .record = take_record,
};

static void take_line(void *arg, const struct log_value *line)
{
    struct durations *durations = arg;
    log_fits_line(&durations->explained.fits, line);
    if (!durations->replay.regions && log_is_type(line, LINE_STEP))
        step_line_take(durations, line);
    if (!log_is_type(line, LINE_RUN) || durations->host)
        return;
    durations->host = strdup(log_string(line, "host", ""));
    durations->throughput = strcmp(log_string(line, "mode", ""), "throughput") == 0;
    durations->drop_first = !log_false(line, "drop_first_batch");
}

/* Sorts the whole step before its parts. */
static int rank(const struct duration *duration)
{
    return duration->action_id == SW_STEP ? -1 : duration->action_id;
}

static int by_phase(const void *a, const void *b)
{
    const struct duration *x = a, *y = b;
    if (x->phase != y->phase)
        return (x->phase > y->phase) - (x->phase < y->phase);
    return (rank(x) > rank(y)) - (rank(x) < rank(y));
}

int durations_read(struct durations *durations, const char *path, struct sw_error *err)
{
    *durations = (struct durations){.replay = {.path = path,
                                               .sink = &durations_sink,
                                               .line = take_line,
                                               .arg = durations,
                                               .leave_out = true,
                                               .calls_only = true,
                                               .wants_metric = log_fits_wants}};
    explained_init(&durations->explained, path, NULL, NULL);
    now = durations;
    int rc = replay_run(&durations->replay, err);
    for (size_t i = 0; i < durations->count; i++)
        fill_up(&durations->item[i], durations->seen.steps[durations->item[i].phase]);
    step_counters_finish(&durations->counters);
    if (rc == 0 && durations->failed)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory for the durations of the steps");
    if (rc == 0 && !durations->count)
        rc = sw_error_set(
            err, SW_EFORMAT,
            "%s: contains no steps to compare: record it with detail: steps or regions", path);
    if (rc == 0)
        rc = explained_judge(&durations->explained, err);
    if (durations->count)
        qsort(durations->item, durations->count, sizeof *durations->item, by_phase);
    return rc;
}

void durations_free(struct durations *durations)
{
    free(durations->item);
    step_counters_free(&durations->counters);
    explained_free(&durations->explained);
    free(durations->host);
    *durations = (struct durations){0};
}
