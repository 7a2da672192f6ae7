/* SPDX-License-Identifier: MIT */
/* player.h - feeds the lines of a run log to a profiler, under the recorded clock. */
#ifndef TOOLS_LOG_PLAYER_H
#define TOOLS_LOG_PLAYER_H

#include "tools/log/log_lines.h"

#include <stepwatch/stepwatch.h>

/* Values of the user's that wait for the end of their step. */
struct waiting {
    char *name;
    double value;
    int64_t step;
};

/* A span that is open. */
struct played_span {
    int64_t logged; /* its id in the log */
    int64_t id;     /* and in the replay */
};

struct player {
    struct sw_profiler *sw;
    int64_t now; /* ns from the run's start */
    int64_t end; /* the latest t of the log */
    long lines;
    bool finished; /* the run ended by itself: there is a line `finish` */
    bool closed;   /* and by sw_close() */
    bool in_fit;
    bool reported; /* the report of a run that was interrupted has come */
    int loop;      /* the thread that began the fit */
    json_t *inner; /* of the step that is played: durations of calls inside of others */
    bool cut_off;  /* the log's begin, by another program, while it was written */
    unsigned open; /* of fit, epoch, train and valid, a bit for each action */
    size_t waiting_count;
    struct waiting *waiting;
    size_t span_count;
    struct played_span *span;
};

/* Puts the profiler under the player's clock. started: the recorded wall clock. */
void player_init(struct player *player, struct sw_profiler *sw, double started);

/* Plays one line. Lines by the profiler and unknown ones are passed over. 0, SW_EFORMAT or
 * SW_ENOMEM. */
int player_play(struct player *player, const json_t *line, struct sw_error *err);

/* At the end of the log: values that still wait, and a fit that the run never ended. */
void player_end(struct player *player);

/* Frees what the player has. */
void player_fini(struct player *player);

#endif
