/* SPDX-License-Identifier: MIT */
/* Logs texts, and lines of the program's logger. */
#include "core/values/logging.h"

#include <stdlib.h>
#include <string.h>

static const char cut_mark[] = "\u2026";

struct text_block {
    struct sw_value value;
    char text[];
};

/* Reported once: it is not refused, only shortened. */
static void cut_say(const struct swi_logging *logging)
{
    if (atomic_exchange(&logging->sw->records.refusals.cut_reported, true))
        return;
    swi_say(
        &logging->sw->records.messages, SW_WARNING,
        "the text \"%.255s\" has more than 1 MiB: the rest is left out, here and in later texts",
        logging->name);
}

static int text_send(const struct swi_logging *logging, const struct swi_valid_text *valid)
{
    int rc = 0;
    size_t bytes = sizeof(struct text_block) + valid->size + sizeof cut_mark;
    struct text_block *block = swi_logging_block(logging, bytes, &rc);
    if (!block)
        return rc;
    block->value = (struct sw_value){.text = block->text};
    memcpy(block->text, valid->text, valid->size);
    memcpy(block->text + valid->size, valid->cut ? cut_mark : "", valid->cut ? sizeof cut_mark : 1);
    return swi_logging_send_block(logging, &block->value, block, bytes);
}

static int text_log(struct swi_logging *logging, const char *markdown)
{
    struct swi_valid_text valid;
    int rc = markdown ? swi_logging_name(logging) : SWI_REFUSE(logging, "the text is NULL");
    if (rc < 0)
        return rc;
    if (!swi_valid_text_init(&valid, markdown, SWI_TEXT_MAX)) {
        swi_no_memory(&logging->sw->records, "a text");
        return SW_ENOMEM;
    }
    if (valid.cut)
        cut_say(logging);
    rc = text_send(logging, &valid);
    free(valid.repaired);
    return rc;
}

int sw_log_text(struct sw_profiler *sw, const char *name, const char *markdown)
{
    struct swi_logging logging;
    if (!swi_value_is_wanted(sw, SW_VALUE_TEXT) ||
        !swi_logging_begin(&logging, sw, SW_VALUE_TEXT, name))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    return text_log(&logging, markdown);
}

/* ---- lines ----------------------------------------------------------------------------------- */

enum { LINES_MAX = 64 << 10 };

struct line_block {
    struct sw_line line;
    char text[];
};

static int line_send(const struct swi_logging *logging, enum sw_level level, const char *text,
                     size_t size)
{
    int rc = 0;
    size_t bytes = sizeof(struct line_block) + size + 1;
    struct line_block *block = swi_logging_block(logging, bytes, &rc);
    if (!block)
        return rc;
    char *room = block->text;
    block->line = (struct sw_line){sizeof block->line, level, swi_text_take(&room, text, size)};
    struct swi_record *record = swi_logging_record(logging, SW_RECORD_LINE, block, swi_block_free);
    if (!record) {
        swi_block_free(block);
        return SW_ENOMEM;
    }
    record->record.line = &block->line;
    record->value_bytes = bytes;
    swi_recorder_push(&logging->sw->records, record);
    return 0;
}

static int lines_send(const struct swi_logging *logging, enum sw_level level, const char *text)
{
    int rc = 0;
    for (;;) {
        size_t size = strcspn(text, "\n");
        rc = rc < 0 ? rc : line_send(logging, level, text, size);
        /* A line feed at the end does not begin another line. */
        if (!text[size] || !text[size + 1])
            return rc;
        text += size + 1;
    }
}

static int line_log(const struct swi_logging *logging, enum sw_level level, const char *text)
{
    struct swi_valid_text valid;
    if (!text)
        return SWI_REFUSE(logging, "the text is NULL");
    if (level < SW_NOTE || level > SW_ERROR)
        return SWI_REFUSE(logging, "the level %d does not exist", (int)level);
    char *copy = NULL;
    if (swi_valid_text_init(&valid, text, LINES_MAX))
        copy = strndup(valid.text, valid.size);
    int rc = copy ? lines_send(logging, level, copy) : SW_ENOMEM;
    if (!copy)
        swi_no_memory(&logging->sw->records, "a line");
    free(copy);
    free(valid.repaired);
    return rc;
}

int sw_log_line(struct sw_profiler *sw, enum sw_level level, const char *text)
{
    struct swi_logging logging;
    if (!swi_value_is_wanted(sw, SW_VALUE_LINE) ||
        !swi_logging_begin(&logging, sw, SW_VALUE_LINE, "sw_log_line()"))
        return 0;
    SWI_RARE_WORK(&sw->measured);
    return line_log(&logging, level, text);
}
