/* SPDX-License-Identifier: MIT */
/* Logs values of the run's summary. No sink misses one, so they do not count towards the budget. */
#include "core/values/logging.h"

#include <stdlib.h>
#include <string.h>

enum { SUMMARY_MAX = 1024 };

struct summary_block {
    struct sw_summary_value summary;
    char text[];
};

static void summary_release(struct swi_record *record)
{
    free(record->owned);
}

static struct summary_block *summary_new(const char *name, size_t length, double value,
                                         const struct swi_kept_text *text)
{
    struct summary_block *block = malloc(sizeof *block + length + 1 + text->size + 1);
    if (!block)
        return NULL;
    char *room = block->text;
    block->summary = (struct sw_summary_value){.size = sizeof block->summary, .value = value};
    block->summary.name = swi_text_take(&room, name, length);
    if (text->text)
        block->summary.text = swi_text_take(&room, text->text, text->size);
    return block;
}

static void summary_send(const struct swi_logging *logging, double value,
                         const struct swi_kept_text *text)
{
    size_t length = strlen(logging->name);
    struct summary_block *block = summary_new(logging->name, length, value, text);
    struct swi_record *record = block ? swi_logging_record(logging, SW_RECORD_SUMMARY) : NULL;
    if (!record) {
        if (!block)
            swi_no_memory(&logging->sw->records, "a value of the summary");
        free(block);
        return;
    }
    record->record.summary = &block->summary;
    record->owned = block;
    record->release = summary_release;
    record->bytes += sizeof *block + length + text->size;
    swi_recorder_push(&logging->sw->records, record);
}

static void summary_log(struct swi_logging *logging, double value, const char *text)
{
    struct swi_recorder *records = &logging->sw->records;
    struct swi_kept_text kept = {0};
    char room[SWI_NAME_MAX + 1];
    logging->name = swi_name_shorten(logging->name, SWI_NAME_MAX, room);
    if (!*logging->name) {
        SWI_REFUSE(logging, "the name of a value of the summary is empty");
    } else if (!swi_name_set_add(&records->summary_names, logging->name, SUMMARY_MAX)) {
        SWI_REFUSE(logging, "the summary has %d names already, and no more are possible",
                   SUMMARY_MAX);
    } else if (text && !swi_kept_text_init(&kept, text, SWI_TEXT_MAX)) {
        swi_no_memory(records, "a value of the summary");
    } else {
        summary_send(logging, value, &kept);
        free(kept.repaired);
    }
}

static void summary_take(struct sw_profiler *sw, const char *name, double value, const char *text)
{
    struct swi_logging logging;
    if (!sw || !swi_wants(&sw->records, SW_RECORD_SUMMARY) ||
        !swi_logging_begin(&logging, sw, SWI_NUMBER, name))
        return;
    SWI_RARE_WORK(&sw->measured);
    summary_log(&logging, value, text);
}

void sw_summary(struct sw_profiler *sw, const char *name, double value)
{
    summary_take(sw, name, value, NULL);
}

void sw_summary_text(struct sw_profiler *sw, const char *name, const char *text)
{
    summary_take(sw, name, 0, text ? text : "");
}
