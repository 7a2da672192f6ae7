/* SPDX-License-Identifier: MIT */
#include "sinks/runlog/log_index.h"
#include "core/text/characters.h"
#include "sinks/common/runlog/line_fields.h"

#include <stepwatch/stepwatch.h>

#include <string.h>

#define EVERY_BYTES (INT64_C(64) << 20)

static void text_cut(char *to, const char *from)
{
    size_t size = swi_utf8_fit(from, SWI_INDEX_TEXT);
    memcpy(to, from, size);
    to[size] = '\0';
}

void swi_log_index_region(struct swi_log_index *index, const struct sw_region *region)
{
    bool begins = region->event == SW_REGION_BEGIN;
    if (region->action_id == SW_EPOCH)
        index->epochs += begins;
    else if (region->action_id == SW_VALID)
        index->validating = begins;
}

void swi_log_index_alert(struct swi_log_index *index, const struct sw_alert *alert)
{
    index->alerted = true;
    text_cut(index->title, alert->title);
    text_cut(index->text, alert->text);
}

void swi_log_index_add(struct swi_log_index *index, struct swi_text *lines,
                       const struct sw_record *record)
{
    index->bytes += (int64_t)lines->size;
    if (index->bytes < EVERY_BYTES)
        return;
    index->bytes = 0;
    swi_line_begin_at(lines, "index", record->time_ns);
    swi_field_integer(lines, "epochs", index->epochs);
    swi_field_integer(lines, "steps_expected", index->expected);
    swi_field_bool(lines, "validating", index->validating);
    if (index->alerted) {
        swi_field_string(lines, "title", index->title);
        swi_field_string(lines, "text", index->text);
    }
    swi_line_end(lines);
}
