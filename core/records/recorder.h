/* SPDX-License-Identifier: MIT */
/* recorder.h - makes records of what was measured and passes them to the pipeline. */
#ifndef CORE_RECORDS_RECORDER_H
#define CORE_RECORDS_RECORDER_H

#include "core/delivery/messages.h"
#include "core/delivery/pipeline.h"
#include "core/delivery/record.h"
#include "core/media/budget.h"
#include "core/rows/measured.h"
#include "core/rows/newest_steps.h"
#include "core/text/map.h"

#include <stepwatch/values.h>

#include <pthread.h>
#include <stdint.h>

/* ---- values that are not logged -------------------------------------------------------------- */

/* Refused for what the program gave, or dropped as there was no room. Each name is reported once,
 * and the totals at close. */

/* Names that are counted by themselves; the rest is counted together. */
enum { SWI_REFUSALS = 64 };

struct swi_refusal {
    char name[256];
    char why[160];
    enum sw_value_kind kind; /* SWI_NUMBER: metrics */
    int64_t count;
};

struct swi_refusals {
    pthread_mutex_t lock;
    size_t count;
    struct swi_refusal *item; /* made for the first */
    int64_t others;
    atomic_llong dropped[SW_VALUE_KINDS]; /* by kind: the budget was full */
    atomic_bool reported;                 /* that it is */
    atomic_llong files;                   /* dropped, as too many were open */
    atomic_bool files_reported;
    atomic_bool cut_reported;  /* that a text was cut */
    atomic_bool rows_reported; /* that a table was cut */
};

void swi_refusals_init(struct swi_refusals *refusals);
void swi_refusals_fini(struct swi_refusals *refusals);

/* "texts", "pictures": many values of a kind. */
const char *swi_values_plural(enum sw_value_kind kind);

/* Says why a value is refused, unless that was said of its name, and counts it. Returns SW_EINVAL.
 */
__attribute__((format(printf, 5, 6))) int swi_refuse(struct swi_refusals *refusals,
                                                     struct swi_messages *messages,
                                                     enum sw_value_kind kind, const char *name,
                                                     const char *format, ...);

/* Counts a value that the budget of `limit` bytes had no room for. Returns SW_ENOMEM. */
int swi_refusals_drop(struct swi_refusals *refusals, struct swi_messages *messages,
                      enum sw_value_kind kind, size_t limit);

/* At close: says the totals of refusals, and appends what was dropped to err. Returns rc, or
 * SW_ENOMEM where rc was 0 and something was dropped. */
int swi_refusals_report(struct swi_refusals *refusals, struct swi_messages *messages, size_t limit,
                        int rc, struct sw_error *err);

/* The names that something was said of, up to a limit. */
struct swi_name_set {
    pthread_mutex_t lock;
    struct swi_map names;
};

void swi_name_set_init(struct swi_name_set *set);
void swi_name_set_fini(struct swi_name_set *set);

/* Adds a name; false if there are `most` others, or no memory. */
bool swi_name_set_add(struct swi_name_set *set, const char *name, size_t most);

struct swi_names;

/* Everything that making and sending records needs. Any thread may use it: members that change are
 * atomic or have a lock of their own. */
struct swi_recorder {
    struct swi_measured *measured;
    struct swi_messages messages;
    struct swi_names *names;
    struct swi_pool pool;
    struct swi_pipeline *pipeline;
    struct sw_run run;
    const char *own_program, *own_name; /* those of `run` before a replay set others; or NULL */
    struct swi_step_history *history;   /* under the fold lock; NULL: no steps are kept */
    struct swi_unmade {
        atomic_llong times;
        _Atomic(const char *) first;
    } unmade;                       /* what was left out because memory ran out */
    atomic_bool shortened_reported; /* that names are too long */
    atomic_bool uncounted_reported; /* that uses of counters are not known */
    atomic_bool full_reported;      /* that sums of a counter are too large to be shown */
    struct swi_budget budget;       /* of values that are more than a number */
    struct swi_refusals refusals;
    struct swi_name_set summary_names;
    struct swi_name_set rule_patterns;
};

/* Notes that something is missing from the output because memory ran out. The loss is counted and
 * reported once now and again by sw_close(). what: static text, such as "a record". */
void swi_no_memory(struct swi_recorder *records, const char *what);

/* Returns whether a sink wants records of this type. */
bool swi_wants(const struct swi_recorder *records, enum sw_record_type type);

/* Returns a record of the given tick with room for that many metrics, or NULL if out of memory. */
struct swi_record *swi_recorder_make(struct swi_recorder *records, enum sw_record_type type,
                                     size_t metrics, int64_t tick);
/* The same of a record that owns a block of malloc(), of so many bytes with what it points to. If
 * out of memory, the block is freed. block: NULL: there was no memory for it. what: it is. */
struct swi_record *swi_recorder_owning(struct swi_recorder *records, enum sw_record_type type,
                                       int64_t tick, void *block, size_t bytes, const char *what);
/* Sends a record to the sinks. Takes over the caller's reference. */
static inline void swi_recorder_push(struct swi_recorder *records, struct swi_record *record)
{
    swi_pipeline_push(records->pipeline, record);
}

/* Returns the memory that the record has for metrics, for use as something else. */
static inline void *swi_record_room(struct swi_record *record)
{
    return record->metric;
}

/* Returns the samples per second of the phase so far, including the time between steps. The step
 * that ends now is added unless samples is -1. */
double swi_samples_per_s(struct swi_measured *measured, const struct swi_thread *thread,
                         int64_t samples, int64_t ticks, int64_t tick);

void swi_recorder_mark(struct swi_recorder *records, enum sw_region_event event, int action,
                       int64_t tick);
void swi_recorder_pause(struct swi_recorder *records, struct swi_thread *thread, bool paused,
                        int64_t tick);
void swi_recorder_step(struct swi_recorder *records, struct swi_thread *thread,
                       const struct swi_step *step);
/* end: must stay valid while the sinks are open. */
void swi_recorder_end(struct swi_recorder *records, const struct sw_end *end, int64_t tick);

/* ---- records of alerts ----------------------------------------------------------------------- */

/* Limits of an alert's texts. */
enum { SWI_ALERT_TITLE = 64 /* characters */, SWI_ALERT_TEXT = 4096 /* bytes */ };

/* Sends a copy of an alert to the sinks that want it, if any do. Its texts may have any bytes and
 * any length. Returns 0 or SW_ENOMEM. */
int swi_recorder_alert(struct swi_recorder *records, const struct sw_alert *alert, int64_t step,
                       int64_t tick);

/* ---- records with the results of an engine about all ranks ----------------------------------- */

/* Sends the results and takes them over. */
void swi_recorder_ranks(struct swi_recorder *records, struct sw_ranks *ranks, int64_t tick);
void swi_recorder_clock(struct swi_recorder *records, int64_t offset_ns, int64_t error_ns,
                        int64_t tick);

#endif
