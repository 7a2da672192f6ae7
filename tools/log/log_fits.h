/* SPDX-License-Identifier: MIT */
/* log_fits.h - the fits of a run log in the form that the rules judge (core/advice/). */
#ifndef TOOLS_LOG_LOG_FITS_H
#define TOOLS_LOG_LOG_FITS_H

#include "core/advice/advice.h"
#include "core/text/map.h"
#include "tools/log/log_value.h"

#include <stepwatch/sink.h>

#include <stdbool.h>

/* ---- the training steps of a fit ------------------------------------------------------------- */

/* In memory that does not grow with them: all of them are stored until there are FIT_STEPS. Then
 * they are blocks of FIT_BLOCK consecutive steps, of which every second is dropped whenever no more
 * fit. So the blocks are spread evenly over the fit, the first one is always there, and there are 8
 * to 16 of them.
 *
 * With more than FIT_COLUMNS actions, the others become one as soon as a block is full; with more
 * than a quarter of that, fewer blocks are stored. */
enum { FIT_BLOCK = 8192, FIT_BLOCKS = 16, FIT_STEPS = FIT_BLOCKS * FIT_BLOCK, FIT_COLUMNS = 64 };

/* Initialise it as {.every = 1}. Beside it is the fit, which has the arrays. */
struct fit_steps {
    struct swi_map names; /* of the actions */
    size_t room;          /* for steps */
    int64_t seen;         /* steps that ended */
    int64_t every;        /* one block of this many is stored */
    int64_t position;     /* of the newest step in its epoch */
    int64_t block_position[FIT_BLOCKS];
};

struct fit_step {
    bool stored;
    bool first; /* of its epoch */
    int64_t number, samples;
    double draw_ns, batch_ns;
};

/* Begins a step, in which every action has taken nothing yet. One that does not count is not ended,
 * and begun again. Returns false if out of memory. */
bool fit_steps_begin(struct fit_steps *steps, struct swi_advised *fit, struct fit_step *step);

/* Returns how many steps that are alike, of `count`, can be ended as one: one of a block that is
 * stored, else all up to the next block. */
int64_t fit_steps_some(const struct fit_steps *steps, const struct fit_step *step, int64_t count);

/* Adds the time of an action to a step that is stored. Returns false if out of memory. */
bool fit_steps_part(struct fit_steps *steps, struct swi_advised *fit, const char *name, double ns);

/* count: of fit_steps_some(). */
void fit_steps_end(struct fit_steps *steps, struct swi_advised *fit, const struct fit_step *step,
                   int64_t count);

/* Tells the fit which of its steps are stored. */
void fit_steps_describe(const struct fit_steps *steps, struct swi_advised *fit);

/* Frees the steps and the actions. */
void fit_steps_free(struct fit_steps *steps, struct swi_advised *fit);

/* ---- fits ------------------------------------------------------------------------------------ */

/* The newest fits: the one before them is judged as soon as a new one begins, since the lines about
 * a fit come soon after its end. */
enum { LOG_FITS_NEWEST = 3 };

/* Points of a metric that is memory in use. */
enum { FIT_POINTS = 8192 };

/* One fit while its log is being read. */
struct log_fit {
    struct swi_advised advised; /* without what is filled in when it is judged */
    struct fit_steps steps;
    double begin_ns, end_ns, seen_ns;
    bool ended;
    double spent_ns; /* of all steps */
    double valid_begin_ns;
    bool in_valid;
    double last_end_ns;                 /* of the step before; negative if there is none */
    bool first;                         /* the next step is the first of its epoch */
    struct log_value *report;           /* the run's own, or NULL */
    struct log_value *ranks;            /* the report of all ranks, or NULL */
    struct swi_advised_ranks straggler; /* of that report */
};

/* Gets the findings of a fit, in the order of the fits, and frees them. number: from 1; steps: of
 * training, of which `judged` were judged; 0: it has no findings. */
typedef void log_fit_fn(void *arg, int64_t number, int64_t steps, int64_t judged,
                        struct swi_advice *advice);

/* Initialise it as {.tell = …, .arg = …}. */
struct log_fits {
    size_t count, judged; /* the first ones were judged already, and are forgotten */
    struct log_fit fit[LOG_FITS_NEWEST];
    log_fit_fn *tell;
    void *arg;
    bool begun, by_replay; /* of log_fits_line() */
    bool drop_first;
    char *gpu;
    bool failed; /* out of memory */
};

/* Judges all that were not judged yet, and tells them. */
void log_fits_tell(struct log_fits *fits);

void log_fits_free(struct log_fits *fits);

/* ---- from the lines of a log, or the records of its replay ----------------------------------- */

/* Takes one line of the log. Unknown lines are skipped. */
void log_fits_line(struct log_fits *fits, const struct log_value *line);

/* Of a log that has regions and no steps, takes the records of its replay, which may come on
 * another thread than the lines: those that a line follows are there before it (run_replay.h). */
#define LOG_FITS_WANTS                                                                             \
    (SW_WANT(SW_RECORD_MARK) | SW_WANT(SW_RECORD_STEP) | SW_WANT(SW_RECORD_METRICS))
void log_fits_record(struct log_fits *fits, const struct sw_record *record);

#endif
