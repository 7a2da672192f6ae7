/* SPDX-License-Identifier: MIT */
/* fit_steps.h - the training steps of a fit for the rules, in memory that does not grow with them.
 *
 * All of them are kept until there are FIT_STEPS. Then they are blocks of FIT_BLOCK consecutive
 * steps, of which every second is dropped whenever no more fit. So the blocks are spread evenly
 * over the fit, the first one is always there, and there are 8 to 16 of them. */
#ifndef TOOLS_LOG_FIT_STEPS_H
#define TOOLS_LOG_FIT_STEPS_H

#include "core/advice/advice.h"
#include "core/text/map.h"

#include <stdbool.h>

/* With more than FIT_COLUMNS actions, the others become one as soon as a block is full; with more
 * than a quarter of that, fewer blocks are kept. */
enum { FIT_BLOCK = 8192, FIT_BLOCKS = 16, FIT_STEPS = FIT_BLOCKS * FIT_BLOCK, FIT_COLUMNS = 64 };

/* Initialise it as {.every = 1}. Beside it is the fit, which has the arrays. */
struct fit_steps {
    struct swi_map names; /* of the actions */
    size_t room;          /* for steps */
    int64_t seen;         /* steps that ended */
    int64_t every;        /* one block of this many is kept */
    int64_t place;        /* of the newest step in its epoch */
    int64_t block_place[FIT_BLOCKS];
};

struct fit_step {
    bool kept;
    bool first; /* of its epoch */
    int64_t number, samples;
    double draw_ns, batch_ns;
};

/* Begins a step, in which every action has taken nothing yet. One that does not count is not ended,
 * and begun again. Returns false if out of memory. */
bool fit_steps_begin(struct fit_steps *steps, struct swi_advised *fit, struct fit_step *step);

/* Returns how many steps that are alike, of `count`, can be ended as one: one of a block that is
 * kept, else all up to the next block. */
int64_t fit_steps_some(const struct fit_steps *steps, const struct fit_step *step, int64_t count);

/* Adds the time of an action to a step that is kept. Returns false if out of memory. */
bool fit_steps_part(struct fit_steps *steps, struct swi_advised *fit, const char *name, double ns);

/* count: of fit_steps_some(). */
void fit_steps_end(struct fit_steps *steps, struct swi_advised *fit, const struct fit_step *step,
                   int64_t count);

/* Tells the fit which of its steps are kept. */
void fit_steps_tell(const struct fit_steps *steps, struct swi_advised *fit);

/* Frees the steps and the actions. */
void fit_steps_free(struct fit_steps *steps, struct swi_advised *fit);

#endif
