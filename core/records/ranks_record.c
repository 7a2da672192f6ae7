/* SPDX-License-Identifier: MIT */
#include "core/records/ranks_record.h"

static void ranks_release(struct swi_record *record)
{
    sw_ranks_free(record->owned);
}

void swi_recorder_ranks(struct swi_recorder *records, struct sw_ranks *ranks, int64_t tick)
{
    struct swi_record *record = swi_wants(records, SW_RECORD_RANKS)
                                    ? swi_recorder_make(records, SW_RECORD_RANKS, 0, tick)
                                    : NULL;
    if (!record) {
        sw_ranks_free(ranks);
        return;
    }
    record->owned = ranks;
    record->release = ranks_release;
    record->bytes += sizeof *ranks + ranks->count * (ranks->row_size + sizeof "train" + 16);
    record->record.ranks = ranks;
    swi_recorder_push(records, record);
}

void swi_recorder_clock(struct swi_recorder *records, int64_t offset_ns, int64_t error_ns,
                        int64_t tick)
{
    struct swi_record *record =
        swi_wants(records, SW_RECORD_CLOCK)
            ? swi_recorder_make(records, SW_RECORD_CLOCK, SWI_POOL_FEW, tick)
            : NULL;
    if (!record)
        return;
    struct sw_clock_offset *clock = swi_record_room(record);
    *clock = (struct sw_clock_offset){
        .size = sizeof *clock, .offset_ns = offset_ns, .error_ns = error_ns};
    record->record.clock = clock;
    swi_recorder_push(records, record);
}
