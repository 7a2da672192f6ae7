/* SPDX-License-Identifier: MIT */
#include "core/records/recorder.h"
#include "core/rows/measured.h"
#include "core/text/address_user.h"
#include "core/text/characters.h"

#include <stdlib.h>
#include <string.h>

/* An alert with everything that it points to. */
struct alert_copy {
    struct sw_alert alert;
    char *title;
    char *text;
    char kind[16];
    struct sw_open_region open[];
};

static void alert_copy_free(void *owned)
{
    struct alert_copy *copy = owned;
    for (size_t i = 0; copy && i < copy->alert.open_count; i++)
        free((void *)(uintptr_t)copy->open[i].action);
    if (copy) {
        free(copy->title);
        free(copy->text);
    }
    free(copy);
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

static bool open_copy(struct alert_copy *copy, const struct sw_alert *alert)
{
    for (size_t i = 0; i < alert->open_count; i++) {
        copy->open[i] = *sw_alert_open(alert, i);
        copy->open[i].action = strdup(copy->open[i].action);
        copy->alert.open_count = i + 1;
        if (!copy->open[i].action)
            return false;
    }
    return true;
}

static struct alert_copy *alert_copy_new(const struct sw_alert *alert)
{
    struct alert_copy *copy = calloc(1, sizeof *copy + alert->open_count * sizeof *copy->open);
    if (!copy)
        return NULL;
    bool copied = open_copy(copy, alert);
    copy->title = text_copy(alert->title, SWI_ALERT_TITLE, 4 * SWI_ALERT_TITLE);
    copy->text = text_copy(alert->text, SIZE_MAX, SWI_ALERT_TEXT);
    if (!copied || !copy->title || !copy->text) {
        alert_copy_free(copy);
        return NULL;
    }
    strncpy(copy->kind, alert->kind, sizeof copy->kind - 1);
    copy->alert = (struct sw_alert){.size = sizeof copy->alert,
                                    .kind = copy->kind,
                                    .level = alert->level,
                                    .title = copy->title,
                                    .text = copy->text,
                                    .wait_ns = alert->wait_ns,
                                    .open_count = alert->open_count,
                                    .open_stride = sizeof *copy->open,
                                    .open = copy->open};
    return copy;
}

int swi_recorder_alert(struct swi_recorder *records, const struct sw_alert *alert, int64_t step,
                       int64_t tick)
{
    if (!swi_wants(records, SW_RECORD_ALERT))
        return 0;
    SWI_RARE_WORK(records->measured);
    struct alert_copy *copy = alert_copy_new(alert);
    struct swi_record *record = copy ? swi_recorder_make(records, SW_RECORD_ALERT, 0, tick) : NULL;
    if (!record) {
        if (!copy)
            swi_no_memory(records, "an alert");
        alert_copy_free(copy);
        return SW_ENOMEM;
    }
    record->owned = copy;
    record->release = alert_copy_free;
    record->bytes += sizeof *copy + strlen(copy->title) + strlen(copy->text);
    record->record.alert = &copy->alert;
    record->record.step = step;
    swi_recorder_push(records, record);
    return 0;
}
