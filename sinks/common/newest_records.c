/* SPDX-License-Identifier: MIT */
#include "sinks/common/thinning.h"

#include <stdlib.h>
#include <string.h>

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
