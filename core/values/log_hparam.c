/* SPDX-License-Identifier: MIT */
/* Hyper-parameters, and notes. */
#include "core/loop/calling_thread.h"
#include "core/text/address_user.h"
#include "core/values/logging.h"

#include <stdlib.h>
#include <string.h>

/* ---- hyper-parameters ------------------------------------------------------------------------ */

struct hparam_text {
    struct sw_hparam hparam;
    char text[];
};

static bool hparam_wanted(const struct sw_profiler *sw, const char *name)
{
    return sw && name && !swi_is_inherited(&sw->measured) && !atomic_load(&sw->measured.dead) &&
           swi_wants(&sw->records, SW_RECORD_HPARAM);
}

/* Returns NULL if it is not wanted, or memory runs out. */
static struct hparam_text *hparam_new(struct sw_profiler *sw, const char *name, const char *string)
{
    if (!hparam_wanted(sw, name))
        return NULL;
    SWI_OWN_MEMORY;
    size_t n = strlen(name) + 1, s = string ? strlen(string) + 1 : 0;
    struct hparam_text *hparam = calloc(1, sizeof *hparam + n + s);
    if (!hparam) {
        swi_no_memory(&sw->records, "a hyper-parameter");
        return NULL;
    }
    memcpy(hparam->text, name, n);
    hparam->hparam.size = sizeof hparam->hparam;
    hparam->hparam.name = hparam->text;
    if (string) {
        hparam->hparam.string = memcpy(hparam->text + n, string, s);
        swi_address_clean(hparam->text + n);
    }
    return hparam;
}

static void hparam_push(struct sw_profiler *sw, struct hparam_text *hparam)
{
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    size_t bytes = sizeof *hparam + strlen(hparam->hparam.name) +
                   (hparam->hparam.string ? strlen(hparam->hparam.string) : 0);
    struct swi_record *record =
        swi_recorder_owning(&sw->records, SW_RECORD_HPARAM, swi_clock_tick(&sw->measured.clock),
                            hparam, bytes, "a hyper-parameter");
    if (!record)
        return;
    record->record.hparam = &hparam->hparam;
    swi_recorder_push(&sw->records, record);
}

void sw_hparam_int(struct sw_profiler *sw, const char *name, int64_t value)
{
    struct hparam_text *hparam = hparam_new(sw, name, NULL);
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_INT;
    hparam->hparam.integer = value;
    hparam_push(sw, hparam);
}

void sw_hparam_float(struct sw_profiler *sw, const char *name, double value)
{
    struct hparam_text *hparam = hparam_new(sw, name, NULL);
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_FLOAT;
    hparam->hparam.number = value;
    hparam_push(sw, hparam);
}

void sw_hparam_string(struct sw_profiler *sw, const char *name, const char *value)
{
    struct hparam_text *hparam = hparam_new(sw, name, value ? value : "");
    if (!hparam)
        return;
    hparam->hparam.type = SW_HPARAM_STRING;
    hparam_push(sw, hparam);
}

/* ---- notes ----------------------------------------------------------------------------------- */

struct noted {
    struct sw_note note;
    char text[];
};

static struct noted *noted_new(const char *text, int thread)
{
    size_t size = strlen(text) + 1;
    struct noted *noted = malloc(sizeof *noted + size);
    if (!noted)
        return NULL;
    memcpy(noted->text, text, size);
    noted->note =
        (struct sw_note){.size = sizeof noted->note, .text = noted->text, .thread = thread};
    return noted;
}

/* A note may be added during a pause, when no thread is measured. */
void sw_note(struct sw_profiler *sw, const char *text)
{
    SWI_OWN_MEMORY;
    if (!sw || !text || atomic_load(&sw->measured.dead) || swi_is_inherited(&sw->measured) ||
        !swi_wants(&sw->records, SW_RECORD_NOTE))
        return;
    const struct swi_thread *thread = swi_thread_get(sw);
    SWI_FOLDED(&sw->measured);
    SWI_RARE_WORK(&sw->measured);
    struct noted *noted = noted_new(text, thread ? thread->number : 0);
    struct swi_record *record =
        swi_recorder_owning(&sw->records, SW_RECORD_NOTE, swi_clock_tick(&sw->measured.clock),
                            noted, sizeof *noted + strlen(text), "a note");
    if (!record)
        return;
    record->record.note = &noted->note;
    record->record.step = swi_step_current(sw, thread);
    swi_recorder_push(&sw->records, record);
}
