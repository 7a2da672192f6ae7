/* SPDX-License-Identifier: MIT */
/* wandb.h - one run: its options, its place, its file. */
#ifndef SINKS_WANDB_WANDB_H
#define SINKS_WANDB_WANDB_H

#include "sinks/wandb/file/records.h"
#include "sinks/wandb/account/sdk_settings.h"
#include "sinks/wandb/run/sweep.h"

#include <stepwatch/sink.h>

#include <limits.h>

enum { SWI_DISKS = 8 };

/* What a disk has read and written since it is there. */
struct swi_disk {
    char name[32];
    double read_mib, written_mib;
};

struct swi_live;
struct swi_live_options;
struct swi_uploader;

/* A sample of the machine, to take differences from. */
struct swi_sample {
    int64_t time_ns; /* monotonic; 0: none yet */
    int64_t cpu_ns;  /* of this process */
    double sent, received, sent_again;
    size_t disk_count;
    struct swi_disk disk[SWI_DISKS];
};

struct wandb {
    /* options */
    const char *mode, *project, *entity, *run_id, *name, *notes, *group, *job_type, *dir, *ranks;
    const char *resume, *base_url, *ca_file, *key_file;
    const char *const *tags;
    int64_t interval_ns;
    bool system, insecure;

    struct sw_sink *sink;
    bool off;
    bool silent;            /* nothing is said: it goes to a file of the run */
    bool quiet;             /* what goes without saying is not said */
    struct swi_text unsaid; /* what waits for that file */
    bool console;           /* lines of output belong to the run */
    char id[SWI_WANDB_VALUE];
    bool id_made;          /* at random */
    char root[PATH_MAX];   /* DIR/wandb */
    char folder[PATH_MAX]; /* of the run */
    struct swi_records records;

    struct swi_row row;     /* of `step`; written when a later step begins */
    struct swi_row summary; /* all of it that was written */
    struct swi_row fresh;   /* of the summary, what is not written yet */
    int64_t step;
    int64_t shift;   /* added to a step, where steps went back */
    int64_t written; /* step of the last row in the file; -1: none */
    double row_wall_s;
    double last_s;  /* run time of the newest record */
    bool open;      /* row holds something */
    bool own_epoch; /* the program logs a metric of that name */
    bool ended;
    bool failing;                    /* the file cannot be written, and that was said */
    int64_t lost;                    /* told to core so far */
    int64_t passed;                  /* number of the last record that went past the file */
    bool pass_failed;                /* the upload had no room for one */
    bool end_written;                /* the file has the run's end, or keeps it for the disk */
    struct swi_sample first, sample; /* of the machine: the first one, and the newest */
    struct swi_text output;          /* files/output.log */
    struct swi_wandb_sweep sweep;    /* whose values come before the program's */
    struct swi_row config;           /* all of it so far, for config.yaml */
    char producer[64];
    char found_project[SWI_WANDB_VALUE], found_entity[SWI_WANDB_VALUE]; /* "": not said */
    bool online_asked; /* it was said, and not only looked for */
    bool online;       /* there is a key: the run is uploaded while it is written */
    const struct swi_uploader *uploader; /* loaded for a run that is uploaded */
    struct swi_live_options *upload;     /* until the upload begins */
    struct swi_live *live;               /* the upload */
    bool resume_auto, stop_said;
    int exit_code;
    int64_t end_ns; /* when the program's end was told; monotonic */
    bool charted;   /* the chart of the step's time was described */
};

/* CLOCK_MONOTONIC. */
int64_t swi_wandb_now_ns(void);

/* say.c: says something to whoever runs the program; with WANDB_SILENT, to logs/debug.log of the
 * run's folder alone, as the SDK does. */
__attribute__((format(printf, 3, 4))) void swi_wandb_say(struct wandb *w, int level,
                                                         const char *format, ...);
/* Writes what was not said yet, once there is a folder. */
void swi_wandb_say_flush(struct wandb *w);

/* place.c: the run's folder and its .wandb file. */
int swi_wandb_place(struct wandb *w, struct sw_error *err);

/* online.c: looks for the service and the key, and sets w->online where the run is to be uploaded.
 * A setting that is wrong fails; a key that is missing or wrong is said. */
int swi_wandb_online_decide(struct wandb *w, struct sw_error *err);
/* It is not to be uploaded after all: says why, and what is done instead. */
void swi_wandb_online_not(struct wandb *w, const struct sw_error *err, const char *instead);
/* With resume auto and no id said: the id of a run that has not ended well. w->root is known. */
void swi_wandb_online_resume(struct wandb *w);
/* Begins the upload of the file, which is there. */
void swi_wandb_online_start(struct wandb *w);
/* Hands over the records that wait for a disk without room. False where not all of them were taken,
 * or there is no upload. */
bool swi_wandb_online_pass(struct wandb *w);
/* Passes on what the upload has to say. */
void swi_wandb_online_flush(struct wandb *w);
/* Waits for the upload within close_timeout, and says what became of it; false: there was none.
 * written: the file is whole. */
bool swi_wandb_online_close(struct wandb *w, bool written);
void swi_wandb_online_free(struct wandb *w);

/* history.c: rows. */
void swi_wandb_metrics(struct wandb *w, const struct sw_record *record);
/* The row to put a value into that belongs to the newest step. */
struct swi_row *swi_wandb_row(struct wandb *w, const struct sw_record *record);
/* Has the next flush write the row that is open, as it is so far. */
void swi_wandb_row_draft(struct wandb *w);
/* Writes the row that is open, and begins the next step. */
void swi_wandb_row_end(struct wandb *w);
/* Writes what of the summary is new: behind the rows that it is the last values of, and in one
 * write with them, so that a program that is killed leaves the summary of its rows. */
void swi_wandb_summary_write(struct wandb *w);

/* report.c: summary keys and tables of a fit. */
int swi_wandb_report(struct wandb *w, const struct sw_record *record, struct sw_error *err);
/* A distribution, its values times scale, as the SDK stores a list of numbers in the summary. */
void swi_wandb_distribution(struct swi_text *text, const struct sw_distribution *d, double scale);

/* files.c: what the service keeps of every run as files, beside the tables. A failure is said. */
void swi_wandb_files_begin(struct wandb *w, const struct swi_wandb_environment *environment);
void swi_wandb_files_end(struct wandb *w);

/* system.c: what the machine does. */
void swi_wandb_system(struct wandb *w, int64_t now_ns);

#endif
