/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/file/pack_record.h"

#include <math.h>
#include <stdlib.h>

char *swi_wandb_text(const char *text)
{
    return text ? (char *)(uintptr_t)text : (char *)(uintptr_t)protobuf_c_empty_string;
}

SwiWandb__Timestamp swi_wandb_timestamp(double wall_s)
{
    SwiWandb__Timestamp stamp = SWI_WANDB__TIMESTAMP__INIT;
    stamp.seconds = (int64_t)floor(wall_s);
    stamp.nanos = (int32_t)((wall_s - floor(wall_s)) * 1e9);
    return stamp;
}

bool swi_records_room(struct swi_records *records, size_t size)
{
    if (size <= records->capacity)
        return true;
    unsigned char *packed = realloc(records->packed, size * 2);
    if (!packed)
        return false;
    records->packed = packed;
    records->capacity = size * 2;
    return true;
}

/* Packs into records->packed. Returns the size, or 0 if out of memory. */
static size_t pack(struct swi_records *records, SwiWandb__Record *record,
                   SwiWandb__Record__WhatCase what, int64_t number)
{
    record->what_case = what;
    record->num = number;
    size_t size = swi_wandb__record__get_packed_size(record);
    return swi_records_room(records, size) ? swi_wandb__record__pack(record, records->packed) : 0;
}

bool swi_records_set_aside(struct swi_records *records, size_t size)
{
    return size && records->beyond &&
           records->beyond(records->arg, records->number, records->packed, size);
}

void swi_records_add_packed(struct swi_records *records, size_t size)
{
    bool added = size && swi_wandb_log_add(&records->log, records->packed, size);
    bool aside = !added && swi_records_set_aside(records, size);
    records->aside += aside;
    records->lost += !added && !aside;
}

void swi_records_add(struct swi_records *records, SwiWandb__Record *record,
                     SwiWandb__Record__WhatCase what)
{
    swi_records_add_packed(records, pack(records, record, what, ++records->number));
}

size_t swi_wandb_texts_count(const char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}
