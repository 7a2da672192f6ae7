/* SPDX-License-Identifier: MIT */
#include "core/records/recorder.h"
#include "core/rows/measured.h"
#include "core/text/address_user.h"
#include "core/text/characters.h"

#include <stdlib.h>
#include <string.h>

/* An alert with everything that it points to. */
struct kept {
    struct sw_alert alert;
    char *title;
    char *text;
    char kind[16];
    struct sw_open_region open[];
};

static void kept_free(struct kept *kept)
{
    for (size_t i = 0; kept && i < kept->alert.open_count; i++)
        free((void *)(uintptr_t)kept->open[i].action);
    if (kept) {
        free(kept->title);
        free(kept->text);
    }
    free(kept);
}

static void release(struct swi_record *record)
{
    kept_free(record->owned);
}

/* Cuts a text after this many characters or bytes, whichever comes first. */
static void cut(char *text, size_t characters, size_t bytes)
{
    size_t at = 0, size = strlen(text);
    uint32_t code;
    for (size_t next; at < size && characters > 0; characters--, at += next) {
        next = swi_utf8_next(text + at, size - at, &code);
        if (!next || at + next > bytes)
            break;
    }
    text[at] = '\0';
}

/* Reads no more of a text than can be kept. */
static char *text_copy(const char *text, size_t characters, size_t bytes)
{
    char *copy = swi_utf8_repair(text, strnlen(text, bytes + 3));
    if (copy)
        swi_address_clean(copy);
    if (copy)
        cut(copy, characters, bytes);
    return copy;
}

static bool open_copy(struct kept *kept, const struct sw_alert *alert)
{
    for (size_t i = 0; i < alert->open_count; i++) {
        kept->open[i] = *sw_alert_open(alert, i);
        kept->open[i].action = strdup(kept->open[i].action);
        kept->alert.open_count = i + 1;
        if (!kept->open[i].action)
            return false;
    }
    return true;
}

static struct kept *kept_new(const struct sw_alert *alert)
{
    struct kept *kept = calloc(1, sizeof *kept + alert->open_count * sizeof *kept->open);
    if (!kept)
        return NULL;
    bool copied = open_copy(kept, alert);
    kept->title = text_copy(alert->title, SWI_ALERT_TITLE, 4 * SWI_ALERT_TITLE);
    kept->text = text_copy(alert->text, SIZE_MAX, SWI_ALERT_TEXT);
    if (!copied || !kept->title || !kept->text) {
        kept_free(kept);
        return NULL;
    }
    strncpy(kept->kind, alert->kind, sizeof kept->kind - 1);
    kept->alert = (struct sw_alert){.size = sizeof kept->alert,
                                    .kind = kept->kind,
                                    .level = alert->level,
                                    .title = kept->title,
                                    .text = kept->text,
                                    .wait_ns = alert->wait_ns,
                                    .open_count = alert->open_count,
                                    .open_stride = sizeof *kept->open,
                                    .open = kept->open};
    return kept;
}

int swi_recorder_alert(struct swi_recorder *records, const struct sw_alert *alert, int64_t step,
                       int64_t tick)
{
    if (!swi_wants(records, SW_RECORD_ALERT))
        return 0;
    SWI_RARE_WORK(records->measured);
    struct kept *kept = kept_new(alert);
    struct swi_record *record = kept ? swi_recorder_make(records, SW_RECORD_ALERT, 0, tick) : NULL;
    if (!record) {
        if (!kept)
            swi_no_memory(records, "an alert");
        kept_free(kept);
        return SW_ENOMEM;
    }
    record->owned = kept;
    record->release = release;
    record->bytes += sizeof *kept + strlen(kept->title) + strlen(kept->text);
    record->record.alert = &kept->alert;
    record->record.step = step;
    swi_recorder_push(records, record);
    return 0;
}
