/* SPDX-License-Identifier: MIT */
#include "sinks/common/thinning.h"
#include "core/text/buffer.h"
#include "core/text/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the newest steps and metrics ------------------------------------------------------------ */

static bool metrics_copy(struct swi_kept_record *kept, const struct sw_record *record)
{
    size_t count = record->metrics.count;
    kept->metric = calloc(count + 1, sizeof *kept->metric);
    kept->record.metrics.count = 0;
    kept->record.metrics.stride = sizeof *kept->metric;
    kept->record.metrics.item = kept->metric;
    bool fine = kept->metric;
    for (size_t i = 0; fine && i < count; i++) {
        const struct sw_metric *metric = sw_record_metric(record, i);
        kept->metric[i] = (struct sw_metric){strdup(metric->name), metric->value, metric->by};
        kept->record.metrics.count = i + 1;
        fine = kept->metric[i].name;
    }
    return fine;
}

static bool record_copy(struct swi_kept_record *kept, const struct sw_record *record)
{
    size_t size = record->size < sizeof kept->record ? record->size : sizeof kept->record;
    memcpy(&kept->record, record, size);
    kept->record.size = sizeof kept->record;
    if (record->type != SW_RECORD_STEP)
        return metrics_copy(kept, record);
    kept->record.step_done = &kept->step;
    return swi_step_copy(&kept->step, record->step_done);
}

bool swi_newest_records_add(struct swi_newest_records *records, const struct sw_record *record)
{
    struct swi_kept_record *kept = calloc(1, sizeof *kept);
    if (!kept || !record_copy(kept, record)) {
        swi_kept_record_free(kept);
        return false;
    }
    if (records->newest)
        records->newest->next = kept;
    else
        records->oldest = kept;
    records->newest = kept;
    records->lines += swi_record_lines(record);
    return true;
}

struct swi_kept_record *swi_newest_records_take(struct swi_newest_records *records)
{
    struct swi_kept_record *kept = records->oldest;
    if (!kept)
        return NULL;
    records->oldest = kept->next;
    records->newest = kept->next ? records->newest : NULL;
    records->lines -= swi_record_lines(&kept->record);
    return kept;
}

void swi_kept_record_free(struct swi_kept_record *kept)
{
    if (!kept)
        return;
    for (size_t i = 0; kept->metric && i < kept->record.metrics.count; i++)
        free((char *)kept->metric[i].name);
    free(kept->metric);
    swi_step_free(&kept->step);
    free(kept);
}

/* ---- metrics of several steps, added up ------------------------------------------------------ */

/* Names that a point remembers from the one before. */
enum { NAMES_MOST = 1 << 16 };

/* A name's part of a point. */
struct swi_point_value {
    enum sw_origin by;
    double sum;
    struct swi_thinned of;
};

static bool value_add(struct swi_metric_point *point, const struct sw_metric *metric)
{
    struct swi_point_value *value = swi_map_item(&point->names, &point->value, sizeof *value,
                                                 metric->name, strlen(metric->name));
    if (!value)
        return false;
    bool first = value->of.count == 0, fresh = first && value->of.nonfinite == 0;
    if (fresh) {
        if (!swi_vec_grow(&point->used, point->used_count, &point->used_room, sizeof *point->used))
            return false;
        point->used[point->used_count++] = (size_t)(value - point->value);
        value->by = metric->by;
    }
    double x = value->of.last = metric->value;
    if (!isfinite(x)) {
        value->of.nonfinite++;
        return true;
    }
    value->sum += x;
    value->of.min = first || x < value->of.min ? x : value->of.min;
    value->of.max = first || x > value->of.max ? x : value->of.max;
    value->of.count++;
    return true;
}

/* A point has values of one place in the loop only. */
bool swi_metric_point_continues(const struct swi_metric_point *point,
                                const struct sw_record *record, int64_t place)
{
    const struct sw_record *newest = &point->newest;
    return point->records && point->place == place && newest->phase == record->phase &&
           newest->epoch == record->epoch && newest->fit == record->fit &&
           record->time_ns - point->began_ns < SWI_POINT_NS;
}

int swi_metric_point_add(struct swi_metric_point *point, const struct sw_record *record,
                         int64_t place, struct sw_error *err)
{
    bool fine = true;
    if (point->records++ == 0) {
        point->began_ns = record->time_ns;
        point->place = place;
    }
    size_t size = record->size < sizeof point->newest ? record->size : sizeof point->newest;
    int64_t step = point->records > 1 ? point->newest.step : record->step;
    point->newest = (struct sw_record){0};
    memcpy(&point->newest, record, size);
    point->newest.size = sizeof point->newest;
    point->newest.step = step > record->step ? step : record->step;
    for (size_t i = 0; i < record->metrics.count; i++)
        fine = value_add(point, sw_record_metric(record, i)) && fine;
    return fine ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory to thin out metrics");
}

static double mean_of(const struct swi_point_value *value)
{
    return value->of.count > 1   ? value->sum / (double)value->of.count
           : value->of.count > 0 ? value->of.min
                                 : value->of.last;
}

bool swi_metric_point_make(struct swi_metric_point *point, struct swi_made_metrics *made,
                           struct sw_record *record)
{
    if (!swi_vec_reach(&made->item, point->used_count, &made->room, sizeof *made->item))
        return false;
    for (size_t i = 0; i < point->used_count; i++) {
        struct swi_point_value *value = &point->value[point->used[i]];
        const struct sw_metric mean = {.name = point->names.name[point->used[i]].text,
                                       .value = mean_of(value),
                                       .by = value->by};
        made->item[i] = (struct swi_made_metric){mean, value->of};
        *value = (struct swi_point_value){0};
    }
    made->count = point->used_count;
    *record = point->newest;
    record->metrics.count = made->count;
    record->metrics.stride = sizeof *made->item;
    record->metrics.item = &made->item->metric;
    point->used_count = 0;
    point->records = 0;
    return true;
}

/* A program may make up names without end. */
void swi_metric_point_forget(struct swi_metric_point *point)
{
    if (point->names.count < NAMES_MOST)
        return;
    swi_map_free(&point->names);
    free(point->value);
    point->value = NULL;
}

void swi_metric_point_free(struct swi_metric_point *point)
{
    swi_map_free(&point->names);
    free(point->value);
    free(point->used);
    *point = (struct swi_metric_point){0};
}

void swi_made_metrics_free(struct swi_made_metrics *made)
{
    free(made->item);
    *made = (struct swi_made_metrics){0};
}

const struct swi_thinned *swi_thinned_of(const struct swi_thinning *thinning,
                                         const struct sw_record *record, size_t i)
{
    const struct swi_made_metrics *made = thinning ? &thinning->made : NULL;
    if (!made || i >= made->count || (const void *)record->metrics.item != made->item)
        return NULL;
    const struct swi_thinned *of = &made->item[i].of;
    return of->count + of->nonfinite > 1 ? of : NULL;
}

void swi_thinned_each(const struct swi_thinning *thinning, const struct sw_record *record, size_t i,
                      void (*each)(void *arg, const struct sw_metric *metric), void *arg)
{
    const struct sw_metric *metric = sw_record_metric(record, i);
    const struct swi_thinned *of = swi_thinned_of(thinning, record, i);
    if (!of || metric->by != SW_BY_USER)
        return;
    const struct {
        const char *name;
        double value;
    } more[] = {{"min", of->min}, {"max", of->max}, {"count", (double)of->count}};
    for (size_t k = of->count ? 0 : 2; k < sizeof more / sizeof *more; k++) {
        struct swi_text name = {0};
        swi_text_put(&name, metric->name);
        swi_text_put(&name, "/");
        swi_text_put(&name, more[k].name);
        if (!name.failed)
            each(arg, &(struct sw_metric){name.data, more[k].value, metric->by});
        swi_text_free(&name);
    }
}
