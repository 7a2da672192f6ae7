/* SPDX-License-Identifier: MIT */
/* watched.h - what is known of a run from the lines of its log so far, in constant memory. */
#ifndef TOOLS_WATCH_WATCHED_H
#define TOOLS_WATCH_WATCHED_H

#include "tools/log/log_value.h"
#include "tools/log/thinned_steps.h"
#include "tools/watch/follow.h"
#include "tools/watch/series.h"

enum {
    WATCHED_STEPS = 2048, /* the newest: a power of two */
    WATCHED_ACTIONS = 16, /* besides draw, batch */
    WATCHED_METRICS = 24,
    WATCHED_FINDINGS = 16,
    WATCHED_NAME = 256 /* those of the library have at most 255 bytes */
};

struct watched_action {
    char name[WATCHED_NAME];
    int64_t *ns; /* in each of the newest steps; as many as of steps */
};

struct watched_metric {
    char name[WATCHED_NAME];
    double newest;
    struct series series;
};

struct watched {
    struct follow follow;
    int64_t tail_at; /* what is before it in the log is left out; of the log that was there first */
    bool jumps;      /* and so are most lines: what is known of them is in a line "index" */
    char name[WATCHED_NAME], host[WATCHED_NAME], job[WATCHED_NAME];
    int64_t pid, rank, world_size;
    double started_s;
    bool known;    /* its first line was read */
    bool finished; /* and its last */
    bool interrupted;
    int exit_status;
    char note[WATCHED_NAME + 128]; /* what happened to the file, or an alert */
    int64_t damaged;               /* lines */
    int64_t grown_ns;              /* when it last grew, by the clock of this machine */

    int64_t t_ns, epoch, step, expected; /* step: how many are done */
    bool validating;
    int64_t first_t_ns, first_step; /* of the first step; -1: none */

    int64_t steps; /* of training that were timed, in all */
    int64_t kept;  /* of these: at some time one by one */
    int64_t *step_ns, *step_number;
    size_t actions;
    struct watched_action action[WATCHED_ACTIONS + 1]; /* draw is the first */
    double rate;                                       /* samples per second, of the newest steps */
    double lowest, highest;                            /* of a second; 0: none yet */
    int64_t lowest_step;
    struct series rates;
    double second_samples, second_ns; /* of the second that is being made */

    size_t metrics;
    struct watched_metric *metric;

    int64_t begun_ns[WATCHED_ACTIONS + 2]; /* of regions, where the log has those */
    int64_t batch_begun_ns;
    int64_t paused_ns; /* in all pauses so far; in one, it lacks the time of its end */
    int64_t part_ns[WATCHED_ACTIONS + 1]; /* of the step that is being made: each action */
    int64_t whole_ns;                     /* and its draw and batch */
    struct log_line line;
    struct thinned_steps thinned; /* of a line that has several */

    size_t findings; /* tools/watch/findings.c */
    char *finding[WATCHED_FINDINGS];
    int64_t findings_ns, findings_due_ns; /* when they were found, and will be again */
};

/* Returns false if out of memory. */
bool watched_init(struct watched *watched, const char *path);
void watched_fini(struct watched *watched);

/* Leaves out the steps, metrics and regions before the last epoch that is in the log now. Call it
 * before the first turn. */
void watched_tail(struct watched *watched);

/* Reads what is new. Returns whether something was. */
bool watched_turn(struct watched *watched);

enum { FOLDER_RUNS = 256 };

struct folder {
    const char *path;
    bool is_folder;
    bool tail;
    size_t count;
    struct watched *run[FOLDER_RUNS]; /* the newest first; ranks of one run in their order */
    int64_t compared_ns;
};

/* tail: of each log only the last epoch is read in full. Returns false if out of memory. */
bool folder_open(struct folder *folder, const char *path, bool tail);
void folder_close(struct folder *folder);

/* Reads what is new in all of them, and looks for new logs every 2 s. Returns whether something was
 * new. */
bool folder_turn(struct folder *folder);

/* ---- whether a run goes on, figures of it, and where it loses time --------------------------- */

enum watched_state { WATCHED_WAITS, WATCHED_RUNS, WATCHED_SILENT, WATCHED_FINISHED, WATCHED_DEAD };

enum watched_state watched_state(const struct watched *watched);

/* "runs", "silent for 2:14", "ended without finish (killed?)". */
const char *watched_state_text(const struct watched *watched, char *buffer, size_t size);

/* How many of the newest steps are kept. */
size_t watched_stored_steps(const struct watched *watched);

/* Seconds until the last step; below 0: unknown. */
double watched_eta(const struct watched *watched);

/* Mean, median and 99th percentile of durations of the newest steps. */
struct watched_figures {
    double mean_ns, p50_ns, p99_ns, sum_ns;
};
struct watched_figures watched_figures(const struct watched *watched, const int64_t *ns);

/* Index of the slowest of the newest steps. */
size_t watched_slowest(const struct watched *watched);

/* Judges the log anew if that is due: every 5 s, and so rarely that it takes a hundredth of the
 * time. now: does so in any case. Returns whether it did. */
bool findings_update(struct watched *run, bool now);

/* Returns the text of finding i of the newest fit, the worst first, or NULL after the last. */
const char *findings_text(const struct watched *run, size_t i);

#endif
