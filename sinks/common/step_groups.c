/* SPDX-License-Identifier: MIT */
#include "sinks/common/step_groups.h"
#include "sinks/common/step_fields.h"

#include <stepwatch/stepwatch.h>

#include <stdlib.h>
#include <string.h>

/* ---- parts ----------------------------------------------------------------------------------- */

/* Returns a part in this header's form; an older core has fewer fields. */
static struct sw_step_part part_of(const struct sw_step *step, size_t i)
{
    struct sw_step_part part = {.shape = ""};
    size_t size = step->part_stride < sizeof part ? step->part_stride : sizeof part;
    memcpy(&part, sw_step_part_at(step, i), size);
    part.self_ns = swi_step_number(step, i, offsetof(struct sw_step_part, self_ns));
    part.shape = part.shape ? part.shape : "";
    return part;
}

static bool uses_are_alike(const struct sw_step_part *a, const struct sw_step_part *b)
{
    bool alike = a->use_count == b->use_count;
    for (size_t i = 0; alike && i < a->use_count; i++)
        alike = sw_step_part_use(a, i)->counter == sw_step_part_use(b, i)->counter;
    return alike;
}

static bool parts_are_alike(const struct sw_step_part *a, const struct sw_step_part *b)
{
    return a->action_id == b->action_id && a->inner == b->inner && a->in_draw == b->in_draw &&
           strcmp(a->shape, b->shape) == 0 && uses_are_alike(a, b);
}

static bool is_of(const struct swi_step_group *group, const struct sw_step *step)
{
    const struct sw_step *sum = &group->sum;
    bool alike = sum->phase == step->phase && sum->count == step->count &&
                 (sum->samples < 0) == (step->samples < 0);
    for (size_t i = 0; alike && i < step->count; i++) {
        struct sw_step_part part = part_of(step, i);
        alike = parts_are_alike(sw_step_part_at(sum, i), &part);
    }
    return alike;
}

/* ---- a group --------------------------------------------------------------------------------- */

void swi_step_free(struct sw_step *step)
{
    struct sw_step_part *part = (struct sw_step_part *)step->part;
    for (size_t i = 0; i < step->count; i++) {
        free((char *)part[i].action);
        free((char *)part[i].shape);
        free((void *)part[i].use);
    }
    free(part);
    if (!step->sum)
        return;
    swi_step_free((struct sw_step *)step->sum);
    free((struct sw_step *)step->sum);
}

static void group_free(struct swi_step_group *group)
{
    swi_step_free(&group->sum);
    swi_step_free(&group->min);
    swi_step_free(&group->max);
}

/* The smallest and the largest values are those of times only. */
static void numbers_drop(struct sw_step_part *part)
{
#define NUMBER(key, is_inner, field, written, divided, replayed)                                   \
    if ((divided) != SWI_AS_TIME)                                                                  \
        part->field = (divided) == SWI_AS_SELF ? -1 : 0;
    SWI_STEP_FIELDS(NUMBER)
#undef NUMBER
}

/* Copies a part. Only sums have other numbers than times, shapes and counters. */
static bool part_copy(struct sw_step_part *to, const struct sw_step_part *from, bool sum)
{
    size_t count = sum ? from->use_count : 0;
    struct sw_counter_use *use = calloc(count + 1, sizeof *use);
    *to = *from;
    to->action = strdup(from->action);
    to->shape = strdup(sum ? from->shape : "");
    if (!sum)
        numbers_drop(to);
    to->use = use;
    to->use_stride = sizeof *use;
    to->use_count = use ? count : 0;
    for (size_t i = 0; i < to->use_count; i++)
        use[i] = *sw_step_part_use(from, i);
    return to->action && to->shape && use;
}

static bool copy(struct sw_step *to, const struct sw_step *from, bool sum)
{
    struct sw_step_part *part = calloc(from->count + 1, sizeof *part);
    *to = (struct sw_step){.size = sizeof *to,
                           .phase = from->phase,
                           .samples = from->samples,
                           .part_stride = sizeof *part,
                           .part = part,
                           .steps = 1};
    bool fine = part;
    for (size_t i = 0; fine && i < from->count; i++) {
        struct sw_step_part own = part_of(from, i);
        fine = part_copy(&part[to->count++], &own, sum);
    }
    return fine;
}

bool swi_step_copy(struct sw_step *to, const struct sw_step *from)
{
    struct sw_step *sum = swi_step_sum(from) == from ? NULL : calloc(1, sizeof *sum);
    bool fine = copy(to, from, true);
    to->steps = swi_step_count(from);
    to->sum = sum;
    return fine && (to->steps == 1 || (sum && copy(sum, from->sum, true)));
}

/* A sum is at most INT64_MAX, as in core. */
static int64_t sum_of(int64_t a, int64_t b)
{
    int64_t sum;
    if (a == SW_COUNTER_NONE || b == SW_COUNTER_NONE)
        return SW_COUNTER_NONE;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN + 1 : INT64_MAX) : sum;
}

/* The sum of a peak is that of the largest one, as often as there are steps. */
static int64_t peaks_of(int64_t peak, int64_t count)
{
    int64_t sum;
    return __builtin_mul_overflow(peak, count, &sum) ? INT64_MAX : sum;
}

static void peaks_multiply(struct sw_step *sum, int64_t count)
{
    for (size_t i = 0; i < sum->count; i++) {
        struct sw_counter_use *use = (struct sw_counter_use *)sum->part[i].use;
        for (size_t k = 0; k < sum->part[i].use_count; k++)
            if (use[k].counter->kind == SW_COUNTER_PEAK && use[k].value != SW_COUNTER_NONE)
                use[k].value = peaks_of(use[k].value, count);
    }
}

static struct swi_step_group *group_begin(struct swi_step_groups *groups,
                                          const struct sw_record *record)
{
    const struct sw_step *step = record->step_done;
    struct swi_step_group *group = &groups->group[groups->count];
    *group = (struct swi_step_group){.count = swi_step_count(step)};
    if (copy(&group->sum, swi_step_sum(step), true) && copy(&group->min, step, false) &&
        copy(&group->max, step, false)) {
        peaks_multiply(&group->sum, group->count);
        groups->count++;
        return group;
    }
    group_free(group);
    return NULL;
}

/* count: with those that are added. */
static int64_t peak_of(int64_t before, int64_t peak, int64_t count, int64_t added)
{
    if (before == SW_COUNTER_NONE || peak == SW_COUNTER_NONE)
        return SW_COUNTER_NONE;
    int64_t most = before / (count - added);
    return peaks_of(most > peak ? most : peak, count);
}

static void uses_add(struct sw_step_part *sum, const struct sw_step_part *part, int64_t count,
                     int64_t added)
{
    struct sw_counter_use *use = (struct sw_counter_use *)sum->use;
    for (size_t i = 0; i < sum->use_count; i++) {
        const struct sw_counter_use *more = sw_step_part_use(part, i);
        bool peak = use[i].counter->kind == SW_COUNTER_PEAK;
        use[i].value = peak ? peak_of(use[i].value, more->value, count, added)
                            : sum_of(use[i].value, more->value);
        use[i].self =
            peak ? peak_of(use[i].self, more->self, count, added) : sum_of(use[i].self, more->self);
    }
}

static void numbers_add(struct sw_step_part *sum, const struct sw_step_part *part)
{
#define NUMBER(key, is_inner, field, written, divided, replayed)                                   \
    if (!(is_inner)) /* else the key of the other calls has added it */                            \
        sum->field += part->field;
    SWI_STEP_FIELDS(NUMBER)
#undef NUMBER
}

static void step_add(struct swi_step_group *group, const struct sw_step *step)
{
    struct sw_step_part *sum = (struct sw_step_part *)group->sum.part,
                        *min = (struct sw_step_part *)group->min.part,
                        *max = (struct sw_step_part *)group->max.part;
    const struct sw_step *whole = swi_step_sum(step);
    int64_t added = swi_step_count(step);
    group->count += added;
    for (size_t i = 0; i < step->count; i++) {
        struct sw_step_part part = part_of(whole, i);
        int64_t ns = sw_step_part_at(step, i)->duration_ns;
        numbers_add(&sum[i], &part);
        min[i].duration_ns = ns < min[i].duration_ns ? ns : min[i].duration_ns;
        max[i].duration_ns = ns > max[i].duration_ns ? ns : max[i].duration_ns;
        uses_add(&sum[i], &part, group->count, added);
    }
    group->sum.samples += whole->samples;
}

/* ---- all ------------------------------------------------------------------------------------- */

static struct swi_step_group *group_find(struct swi_step_groups *groups, const struct sw_step *step)
{
    for (size_t i = 0; i < groups->count; i++)
        if (is_of(&groups->group[i], step))
            return &groups->group[i];
    return NULL;
}

bool swi_step_groups_add(struct swi_step_groups *groups, const struct sw_record *record,
                         int64_t from_ns)
{
    struct swi_step_group *group = group_find(groups, record->step_done);
    bool is_new = !group;
    int64_t count = swi_step_count(record->step_done);
    if (is_new && (groups->count == SWI_STEP_GROUPS || !(group = group_begin(groups, record))))
        return false;
    if (groups->steps == 0) {
        bool train = record->step_done->phase == SW_PHASE_TRAIN && record->step >= count;
        groups->first_step = record->step - (train ? count - 1 : 0);
        groups->from_ns = from_ns;
    }
    groups->steps += count;
    if (!is_new)
        step_add(group, record->step_done);
    size_t size = record->size < sizeof group->record ? record->size : sizeof group->record;
    memcpy(&group->record, record, size);
    group->record.size = sizeof group->record;
    group->record.step_done = &group->sum;
    return true;
}

/* Steps that take no time are in the order of their numbers. */
static int by_last(const void *a, const void *b)
{
    const struct sw_record *x = &((const struct swi_step_group *)a)->record;
    const struct sw_record *y = &((const struct swi_step_group *)b)->record;
    bool same = x->time_ns == y->time_ns;
    int64_t left = same ? x->step : x->time_ns, right = same ? y->step : y->time_ns;
    return (left > right) - (left < right);
}

/* Draws and batches follow each other. */
static int64_t busy_ns(const struct swi_step_group *group)
{
    int64_t ns = 0;
    for (size_t i = 0; i < group->sum.count; i++) {
        const struct sw_step_part *part = sw_step_part_at(&group->sum, i);
        bool whole = part->action_id == SW_DRAW || part->action_id == SW_BATCH;
        ns += whole && !part->inner ? part->duration_ns : 0;
    }
    return ns;
}

/* Returns the number of the i-th of all steps. Mostly it is the first one plus i. */
static int64_t number_at(const struct swi_step_groups *groups, int64_t numbers, int64_t i)
{
    return groups->first_step + (groups->steps > 1 ? numbers * i / (groups->steps - 1) : 0);
}

/* Each group gets the time of its steps, and of the time between steps a share by their number. */
void swi_step_groups_divide(struct swi_step_groups *groups)
{
    int64_t busy = 0, steps = 0, ns = groups->from_ns;
    if (!groups->count)
        return;
    qsort(groups->group, groups->count, sizeof *groups->group, by_last);
    const struct sw_record last = groups->group[groups->count - 1].record;
    for (size_t i = 0; i < groups->count; i++)
        busy += busy_ns(&groups->group[i]);
    int64_t between = last.time_ns - groups->from_ns - busy;
    between = between > 0 ? between / groups->steps : 0;
    int64_t numbers = last.step - groups->first_step;
    for (size_t i = 0; i < groups->count; i++) {
        struct swi_step_group *group = &groups->group[i];
        bool is_last = i + 1 == groups->count;
        group->record.step_done = &group->sum; /* it was moved */
        group->from_ns = ns;
        group->first_step = number_at(groups, numbers, steps);
        ns += busy_ns(group) + between * group->count;
        steps += group->count;
        group->record.time_ns = is_last ? last.time_ns : ns;
        group->record.step = number_at(groups, numbers, steps - 1);
    }
}

void swi_step_groups_clear(struct swi_step_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        group_free(&groups->group[i]);
    *groups = (struct swi_step_groups){0};
}
