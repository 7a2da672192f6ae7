/* SPDX-License-Identifier: MIT */
#include "core/values/logging.h"
#include "core/loop/calling_thread.h"
#include "core/text/characters.h"

#include <stdlib.h>
#include <string.h>

bool sw_wants(struct sw_profiler *sw, enum sw_value_kind kind)
{
    return kind > 0 && kind < SW_VALUE_KINDS && swi_value_is_wanted(sw, kind);
}

bool swi_logging_begin(struct swi_logging *logging, struct sw_profiler *sw, enum sw_value_kind kind,
                       const char *name)
{
    if (atomic_load(&sw->measured.dead) || swi_is_inherited(&sw->measured))
        return false;
    const struct swi_thread *thread = swi_thread_get(sw);
    *logging = (struct swi_logging){sw, thread, kind, name ? name : ""};
    return thread != NULL;
}

int swi_logging_name(struct swi_logging *logging)
{
    enum sw_value_kind is;
    if (!*logging->name)
        return SWI_REFUSE(logging, "the name is empty");
    const char *interned =
        swi_names_take(logging->sw->records.names, logging->name, logging->kind, &is);
    if (interned) {
        logging->name = interned;
        return 0;
    }
    if (is == logging->kind)
        return SWI_REFUSE(logging,
                          "there are %d names of such values already, and no more are possible",
                          SWI_VALUE_NAMES);
    return SWI_REFUSE(logging, "the name has %s: use another one", swi_values_plural(is));
}

void *swi_logging_block(const struct swi_logging *logging, size_t size, int *rc)
{
    struct swi_recorder *records = &logging->sw->records;
    bool full;
    void *block = swi_block_new(&records->budget, size, &full);
    if (block)
        return block;
    *rc = SW_ENOMEM;
    if (full)
        swi_refusals_drop(&records->refusals, &records->messages, logging->kind,
                          records->budget.limit);
    else
        swi_no_memory(records, "a value");
    return NULL;
}

struct swi_record *swi_logging_record(const struct swi_logging *logging, enum sw_record_type type,
                                      void *block, void (*release)(void *block))
{
    struct sw_profiler *sw = logging->sw;
    SWI_FOLDED(&sw->measured);
    struct swi_record *record =
        swi_recorder_make(&sw->records, type, 0, swi_clock_tick(&sw->measured.clock));
    if (!record)
        return NULL;
    record->record.step = swi_step_current(sw, logging->thread);
    record->owned = block;
    record->release = release;
    return record;
}

int swi_logging_send(const struct swi_logging *logging, struct sw_value *value, void *block,
                     size_t bytes, void (*release)(void *block))
{
    SWI_FOLDED(&logging->sw->measured);
    struct swi_record *record = swi_logging_record(logging, SW_RECORD_VALUE, block, release);
    if (!record)
        return SW_ENOMEM;
    swi_value_step(logging->sw, logging->thread, NULL, &record->record);
    value->size = sizeof *value;
    value->kind = logging->kind;
    value->name = logging->name;
    record->record.value = value;
    record->value_bytes = bytes;
    swi_recorder_push(&logging->sw->records, record);
    return 0;
}

int swi_logging_send_block(const struct swi_logging *logging, struct sw_value *value, void *block,
                           size_t bytes)
{
    int rc = swi_logging_send(logging, value, block, bytes, swi_block_free);
    if (rc < 0)
        swi_block_free(block);
    return rc;
}

/* ---- texts ----------------------------------------------------------------------------------- */

const char *swi_text_take(char **room, const char *text, size_t size)
{
    char *taken = *room;
    memcpy(taken, text, size);
    taken[size] = '\0';
    *room += size + 1;
    return taken;
}

size_t swi_text_room(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

const char *swi_text_copy(char **room, const char *text)
{
    return text ? swi_text_take(room, text, strlen(text)) : NULL;
}

bool swi_valid_text_init(struct swi_valid_text *valid, const char *text, size_t most)
{
    size_t size = swi_utf8_fit(text, most);
    *valid = (struct swi_valid_text){.text = text, .size = size, .cut = text[size] != '\0'};
    if (swi_utf8_is_valid(text, size))
        return true;
    valid->repaired = swi_utf8_repair(text, size);
    if (!valid->repaired)
        return false;
    valid->text = valid->repaired;
    valid->size = swi_utf8_fit(valid->text, most);
    return true;
}
