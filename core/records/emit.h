/* SPDX-License-Identifier: MIT */
/* emit.h - makes records of what was measured and hands them to the pipeline. */
#ifndef CORE_RECORDS_EMIT_H
#define CORE_RECORDS_EMIT_H

#include "core/delivery/messages.h"
#include "core/delivery/pipeline.h"
#include "core/delivery/record.h"
#include "core/rows/kept_steps.h"
#include "core/rows/measured.h"

struct swi_names;

/* What records are made of and where they go. Any thread uses it; what changes has a lock of its
 * own or is atomic. */
struct swi_recorder {
    struct swi_measured *measured;
    struct swi_messages messages;
    struct swi_names *names;
    struct swi_pool pool;
    struct swi_pipeline *pipeline;
    struct sw_run run;
    _Atomic(struct swi_kept_steps *) kept; /* NULL: no steps are kept */
    struct swi_unmade {
        atomic_llong times;
        _Atomic(const char *) first;
    } unmade; /* what there was no memory for */
};

/* Something is in no output for lack of memory. It is counted, said once, and told again by
 * sw_close(). what: static text, like "a record". */
void swi_no_memory(struct swi_recorder *records, const char *what);

/* Whether some sink wants records of this type. */
bool swi_wants(const struct swi_recorder *records, enum sw_record_type type);

/* Returns a record with room for so many metrics, as of a tick; NULL without memory. */
struct swi_record *swi_emit_new(struct swi_recorder *records, enum sw_record_type type,
                                size_t metrics, int64_t tick);
/* Hands a record over; takes over the caller's reference. */
static inline void swi_emit_push(struct swi_recorder *records, struct swi_record *record)
{
    swi_pipeline_push(records->pipeline, record);
}

/* Memory inside of a record, in the room for metrics that it was made with. */
static inline void *swi_record_room(struct swi_record *record)
{
    return record->metric;
}

/* Samples per second of the phase so far, with all that lies between the steps, and the step that
 * ends now. samples -1: none does. */
double swi_samples_per_s(struct swi_measured *measured, const struct swi_thread *thread,
                         int64_t samples, int64_t ticks, int64_t tick);

void swi_emit_mark(struct swi_recorder *records, enum sw_region_event event, int action,
                   int64_t tick);
void swi_emit_pause(struct swi_recorder *records, struct swi_thread *thread, bool paused,
                    int64_t tick);
/* ticks: of the step, which is not among those that ended yet; samples -1: it was cancelled. */
void swi_emit_step(struct swi_recorder *records, struct swi_thread *thread, uint32_t first,
                   int64_t samples, int64_t ticks, int64_t tick);
/* end: borrowed for as long as the sinks are open. */
void swi_emit_end(struct swi_recorder *records, const struct sw_end *end, int64_t tick);

#endif
