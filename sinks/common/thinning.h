/* SPDX-License-Identifier: MIT */
/* thinning.h - fewer points for a sink than the run has steps. Points are added up and never merely
 * left out: a point has the mean, the smallest and the largest value and how many there were.
 *
 * `every: N` makes a point of N steps. Without it, the first `thin_after` lines are as they are.
 * After them 10 steps are a point, after as many again 100, and so on: what is stored grows with
 * the logarithm of the run. Only steps and metrics are thinned.
 *
 * `max_size` limits what is stored in bytes: the fuller it is, the more steps are a point, or
 * nothing but results is stored from then on. */
#ifndef SINKS_COMMON_THINNING_H
#define SINKS_COMMON_THINNING_H

#include "core/text/map.h"
#include "sinks/common/option_rows.h"
#include "sinks/common/step_groups.h"

#include <stepwatch/sink.h>

#include <string.h>

/* ---- the newest steps and metrics ------------------------------------------------------------ */

/* They are stored one by one when the run ends, and added up while it goes on. */

/* A copy of a record SW_RECORD_STEP or SW_RECORD_METRICS. */
struct swi_kept_record {
    struct sw_record record; /* points into the rest */
    struct sw_step step;
    struct sw_metric *metric;
    struct swi_kept_record *next;
};

/* Initialise it as {0}. */
struct swi_newest_records {
    struct swi_kept_record *oldest, *newest;
    int64_t lines; /* values and steps */
};

/* Adds a copy of a record. Returns false if out of memory. */
bool swi_newest_records_add(struct swi_newest_records *records, const struct sw_record *record);

/* Takes out the oldest one, or returns NULL. The caller calls swi_kept_record_free(). */
struct swi_kept_record *swi_newest_records_take(struct swi_newest_records *records);
void swi_kept_record_free(struct swi_kept_record *kept);

/* Returns the number of values and steps of a record. */
static inline int64_t swi_record_lines(const struct sw_record *record)
{
    return record->type == SW_RECORD_STEP ? 1 : (int64_t)record->metrics.count;
}

/* ---- metrics of several steps, added up ------------------------------------------------------ */

/* A point of a loop that slows down is not withheld from the reader for longer. */
#define SWI_POINT_NS (INT64_C(60) * 1000000000)

/* What a metric of several records is. */
struct swi_thinned {
    int64_t count;     /* values that its mean is made of */
    int64_t nonfinite; /* values that are not in it: NaN and infinities */
    double min, max, last;
};

struct swi_point_value;

/* The metrics of a point that is not complete. Initialise it as {0}. */
struct swi_metric_point {
    int64_t records;         /* 0: none */
    struct sw_record newest; /* without its metrics */
    int64_t began_ns, place; /* time of the first record; number of the point */
    struct swi_map names;
    struct swi_point_value *value; /* by number of the name */
    size_t *used;                  /* numbers of the names that the point has, in their order */
    size_t used_count, used_room;
};

/* The metrics of a point that is complete. Initialise it as {0}. */
struct swi_made_metrics {
    struct swi_made_metric {
        struct sw_metric metric;
        struct swi_thinned of; /* what it is made of */
    } * item;
    size_t count, room;
};

/* Returns whether a record belongs to the point. place: its number. */
bool swi_metric_point_continues(const struct swi_metric_point *point,
                                const struct sw_record *record, int64_t place);

/* Adds a record. Returns 0 or SW_ENOMEM. */
int swi_metric_point_add(struct swi_metric_point *point, const struct sw_record *record,
                         int64_t place, struct sw_error *err);

/* Completes a point, whose names are valid until the next call: the record has its metrics, at its
 * newest step. Returns false if out of memory. */
bool swi_metric_point_make(struct swi_metric_point *point, struct swi_made_metrics *made,
                           struct sw_record *record);

/* Forgets the names of a point without metrics, if there are many. */
void swi_metric_point_forget(struct swi_metric_point *point);

void swi_metric_point_free(struct swi_metric_point *point);
void swi_made_metrics_free(struct swi_made_metrics *made);

/* ---- thinning -------------------------------------------------------------------------------- */

/* The most steps of a point: a reader may have to make them again. */
enum { SWI_POINT_STEPS = 1000000 };

/* Points of the loop's steps, of steps that the program gave, of counted steps; of monitors. */
enum { SWI_THINNED_LANES = 4 };

/* Part of the state of a sink, zeroed by core. The first fields are options. */
struct swi_thinning {
    int64_t every, thin_after, max_size;
    const char *when_full;
    struct sw_sink *sink;         /* for messages */
    const char *what;             /* what the sink writes, for messages */
    int64_t factor;               /* 1, 10, 100 ...: points have every * factor steps */
    int64_t bytes;                /* that the sink has stored, as it says after each record */
    int64_t part_began;           /* bytes before the newest part (when_full: rotate) */
    int fillings;                 /* how often half of the room that was left has been filled */
    bool stopped;                 /* nothing but results is stored */
    int64_t unstored;             /* records that came since then */
    int64_t lines, steps, values; /* stored with this factor: values and steps; records of steps, of
                                     metrics */
    int fit[2];                   /* of the newest step of train and of valid */
    int64_t seen_ns;              /* time of the newest record but metrics */
    struct swi_metric_point lane[SWI_THINNED_LANES];
    struct swi_step_groups groups;
    int64_t groups_place, groups_began_ns;
    struct swi_newest_records newest; /* that are in no point yet */
    int64_t newest_left;              /* lines that may still be stored one by one where it ends */
    struct swi_made_metrics made;     /* of the point that the sink gets now */
};

/* Rows of the table of options of a sink. STATE: struct of its state; MEMBER: its thinning; HELP:
 * what it keeps with when_full: rotate. */
#define SWI_THINNING_OPTIONS(STATE, MEMBER, HELP)                                                  \
    SWI_OPTION_NAMED("every", INT, STATE, MEMBER.every,                                            \
                     "how many steps make a point, which has the mean, the smallest and the "      \
                     "largest value and their number",                                             \
                     .fallback = "1", .min = 1, .max = SWI_POINT_STEPS, .unit = "steps"),          \
        SWI_OPTION_NAMED("thin_after", INT, STATE, MEMBER.thin_after,                              \
                         "how many values and steps are stored before a point has 10 steps; "      \
                         "after as many again it has 100, and so on; 0: never",                    \
                         .fallback = "4000000", .min = 0, .max = 1e12, .unit = "values"),          \
        SWI_OPTION_NAMED(                                                                          \
            "max_size", SIZE, STATE, MEMBER.max_size,                                              \
            "most bytes to store of steps and values, before compression; 0: no limit",            \
            .fallback = "0", .min = 0, .max = 1e15),                                               \
        SWI_OPTION_NAMED("when_full", CHOICE, STATE, MEMBER.when_full,                             \
                         "what max_size does. thin: the fuller, the more steps are a point; "      \
                         "stop: store only results from then on; rotate: " HELP,                   \
                         .fallback = "thin", .choices = "thin|stop|rotate")

/* With when_full: rotate, what is stored is in so many parts, of which the oldest is removed. */
enum { SWI_ROTATED_PARTS = 4 };

static inline bool swi_thinning_rotates(const struct swi_thinning *thinning)
{
    return strcmp(thinning->when_full, "rotate") == 0;
}

/* Returns the most bytes of a part. */
static inline int64_t swi_thinning_part_most(const struct swi_thinning *thinning)
{
    return thinning->max_size / SWI_ROTATED_PARTS;
}

/* Begins another part if the newest one is full. Returns whether it does. */
static inline bool swi_thinning_part_next(struct swi_thinning *thinning)
{
    bool full = thinning->max_size && swi_thinning_rotates(thinning) &&
                thinning->bytes - thinning->part_began > swi_thinning_part_most(thinning);
    if (full)
        thinning->part_began = thinning->bytes;
    return full;
}

/* Returns how many bytes a file has when it is written anew without the older half of them: the old
 * and the new file together have max_size. 0: it never is. */
static inline int64_t swi_thinning_file_most(const struct swi_thinning *thinning)
{
    return swi_thinning_rotates(thinning) ? thinning->max_size / 3 * 2 : 0;
}

/* Refuses wrong values of the options, as the function `check` of a sink. */
void swi_thinning_check(const struct swi_thinning *thinning, struct sw_sink_check *check);

/* Receives records, as the function `record` of a sink. */
typedef int swi_thinning_fn(void *state, const struct sw_record *record, struct sw_error *err);

/* Begins, in open(): no record is passed before. what: the file or the run, for the message about
 * the first thinning. */
void swi_thinning_begin(struct swi_thinning *thinning, struct sw_sink *sink, const char *what);

/* Passes a record to the sink: at once, or as part of a point that is complete later. Points come
 * before any other record that is newer, except for notes, lines, texts and the like. Returns what
 * `take` returns. */
int swi_thinning_record(struct swi_thinning *thinning, const struct sw_record *record,
                        swi_thinning_fn *take, void *state, struct sw_error *err);

/* Counts a step that the sink stores in another form: by its regions. stride: set to how many steps
 * are a point from then on. Returns what `take` returns of points of metrics. */
int swi_thinning_step_aside(struct swi_thinning *thinning, const struct sw_record *record,
                            swi_thinning_fn *take, void *state, int64_t *stride,
                            struct sw_error *err);

/* Returns how many steps are a point. */
int64_t swi_thinning_stride(const struct swi_thinning *thinning);

/* Passes what is not complete, and frees all memory. */
int swi_thinning_end(struct swi_thinning *thinning, swi_thinning_fn *take, void *state,
                     struct sw_error *err);

/* Returns what metric i of a record that `take` gets is made of; NULL: of one value. thinning: may
 * be NULL. */
const struct swi_thinned *swi_thinned_of(const struct swi_thinning *thinning,
                                         const struct sw_record *record, size_t i);

/* Calls `each` for what a value of the program's has beside its mean, as metrics of their own:
 * NAME/min, NAME/max and NAME/count. For formats in which a point is a single number. */
void swi_thinned_each(const struct swi_thinning *thinning, const struct sw_record *record, size_t i,
                      void (*each)(void *arg, const struct sw_metric *metric), void *arg);

/* Returns the steps that a record SW_RECORD_STEP has added up; NULL: it is one step. */
const struct swi_step_group *swi_thinned_steps(const struct swi_thinning *thinning,
                                               const struct sw_record *record);

#endif
