/* SPDX-License-Identifier: MIT */
/* Adds texts to a moment of the run. */
#include "core/counters/counted_memory.h"
#include "core/loop/calling_thread.h"
#include "core/loop/step.h"

#include <stdlib.h>
#include <string.h>

struct noted {
    struct sw_note note;
    char text[];
};

static void note_release(struct swi_record *record)
{
    free(record->owned);
}

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
    struct swi_record *record = noted ? swi_recorder_make(&sw->records, SW_RECORD_NOTE, 0,
                                                          swi_clock_tick(&sw->measured.clock))
                                      : NULL;
    if (!record) {
        if (!noted)
            swi_no_memory(&sw->records, "a note");
        free(noted);
        return;
    }
    record->owned = noted;
    record->release = note_release;
    record->bytes += sizeof *noted + strlen(text);
    record->record.note = &noted->note;
    record->record.step = swi_step_current(sw, thread);
    swi_recorder_push(&sw->records, record);
}
