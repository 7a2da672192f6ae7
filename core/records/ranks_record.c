/* SPDX-License-Identifier: MIT */
#include "core/records/recorder.h"

#include "core/report/fit_findings.h"

#include <stepwatch/ranks.h>

#include <stdlib.h>
#include <string.h>

/* ---- copies of a report of all ranks --------------------------------------------------------- */

/* Copies of a report of all ranks: one block for the report and its rows, one for all texts. The
 * straggler becomes a finding. */

struct copied {
    struct sw_ranks ranks;
    struct swi_findings *findings;
    char *texts;
    struct sw_ranks_row row[];
};

static size_t room_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t texts_size(const struct sw_ranks *ranks)
{
    size_t size = room_of(ranks->verdict) + room_of(ranks->why) + room_of(ranks->sentence) +
                  room_of(ranks->slow_host) + room_of(ranks->slow_action);
    for (size_t i = 0; i < ranks->count; i++) {
        const struct sw_ranks_row *row = sw_ranks_row_at(ranks, i);
        size += room_of(row->phase) + room_of(row->action);
    }
    return size;
}

/* Moves a text to where there is room. */
static void take(const char **text, char **room)
{
    size_t size = room_of(*text);
    if (!*text)
        return;
    *text = memcpy(*room, *text, size);
    *room += size;
}

/* Either may be from an older header. Fields that it does not have are 0. */
static void rows_copy(struct copied *copied, const struct sw_ranks *ranks)
{
    size_t size = ranks->row_size < sizeof *copied->row ? ranks->row_size : sizeof *copied->row;
    for (size_t i = 0; i < ranks->count; i++)
        memcpy(&copied->row[i], sw_ranks_row_at(ranks, i), size);
    copied->ranks.row = copied->row;
    copied->ranks.row_size = sizeof *copied->row;
}

static void texts_take(struct copied *copied)
{
    char *room = copied->texts;
    struct sw_ranks *ranks = &copied->ranks;
    take(&ranks->verdict, &room);
    take(&ranks->why, &room);
    take(&ranks->sentence, &room);
    take(&ranks->slow_host, &room);
    take(&ranks->slow_action, &room);
    for (size_t i = 0; i < ranks->count; i++) {
        take(&copied->row[i].phase, &room);
        take(&copied->row[i].action, &room);
    }
}

struct sw_ranks *sw_ranks_copy(const struct sw_ranks *ranks)
{
    struct copied *copied = calloc(1, sizeof *copied + ranks->count * sizeof *copied->row);
    char *texts = malloc(texts_size(ranks) + 1);
    if (!copied || !texts) {
        free(copied);
        free(texts);
        return NULL;
    }
    memcpy(&copied->ranks, ranks,
           ranks->size < sizeof copied->ranks ? ranks->size : sizeof copied->ranks);
    copied->ranks.size = sizeof copied->ranks;
    copied->texts = texts;
    rows_copy(copied, ranks);
    texts_take(copied);
    copied->findings = swi_findings_of_ranks(&copied->ranks);
    return &copied->ranks;
}

void sw_ranks_free(struct sw_ranks *ranks)
{
    struct copied *copied = (struct copied *)ranks;
    if (!copied)
        return;
    swi_findings_unref(copied->findings);
    free(copied->texts);
    free(copied);
}

/* ---- records with the results of an engine about all ranks ----------------------------------- */

static void ranks_release(void *ranks)
{
    sw_ranks_free(ranks);
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
