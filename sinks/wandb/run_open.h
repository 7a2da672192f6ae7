/* SPDX-License-Identifier: MIT */
/* run_open.h - the beginning of a run: its folder, and the first records of its file, which are
 * flushed. */
#ifndef SINKS_WANDB_RUN_OPEN_H
#define SINKS_WANDB_RUN_OPEN_H

#include "sinks/wandb/wandb_sink.h"

/* ---- flushing -------------------------------------------------------------------------------- */

/* Writes what is new to the run's file. If the disk is full, says so once, and hands the records to
 * the upload. */
void swi_wandb_run_flush(struct wandb *w);

/* ---- opening --------------------------------------------------------------------------------- */

/* Opens the run that options and environment describe, and begins its upload. Sets `off` if this
 * process makes no run. */
int swi_wandb_run_open(struct wandb *w, struct sw_error *err);

/* ---- run_settings.c -------------------------------------------------------------------------- */

/* Texts that describe a run; "" if not given. */
struct swi_wandb_texts {
    char entity[SWI_WANDB_VALUE], project[SWI_WANDB_VALUE], group[SWI_WANDB_VALUE];
    char job_type[SWI_WANDB_VALUE], name[SWI_WANDB_VALUE], notes[SWI_WANDB_VALUE];
    char tags[SWI_WANDB_VALUE];
    const char *tag[SWI_WANDB_VALUE / 2 + 1]; /* parts of `tags`; NULL ends them */
};

/* Reads which messages are shown, and whether output and system metrics are recorded. */
void swi_wandb_switches_find(struct wandb *w);

/* Decides whether there is a run, and whether it is uploaded while it is written. */
void swi_wandb_mode_find(struct wandb *w);

/* Returns whether each process makes a run. It also does if it is not certain which process is the
 * first. */
bool swi_wandb_each_rank(const struct wandb *w);

/* Finds the texts and the id of this process's run, without wrong values. The sweep of `w` must be
 * known. Returns false if the project is wrong. */
bool swi_wandb_texts_find(struct wandb *w, struct swi_wandb_texts *t);

/* ---- run_files.c ----------------------------------------------------------------------------- */

/* Write what the service keeps of every run as files, beside the tables. A failure is only
 * reported. */
void swi_wandb_run_files_begin(struct wandb *w, const struct swi_wandb_environment *environment);
void swi_wandb_run_files_end(struct wandb *w);

/* ---- online.c -------------------------------------------------------------------------------- */

/* Looks for the service and the key, and sets w->online if the run is to be uploaded. Returns an
 * error if a setting is wrong. A missing or wrong key is only reported. */
int swi_wandb_online_decide(struct wandb *w, struct sw_error *err);
/* Cancels the upload, and reports why and what is done instead. */
void swi_wandb_online_not(struct wandb *w, const struct sw_error *err, const char *instead);
/* With resume auto and no id given: uses the id of a run that did not end well. w->root must be
 * known. */
void swi_wandb_online_resume(struct wandb *w);
/* Begins the upload of the file, which must exist. */
void swi_wandb_online_start(struct wandb *w);
/* Passes the records that wait for a full disk to the upload. Returns false if there is no upload
 * or not all were taken. */
bool swi_wandb_online_pass(struct wandb *w);
/* Reports the messages of the upload. */
void swi_wandb_online_flush(struct wandb *w);
/* Waits for the upload within close_timeout, and reports its result. Returns false if there was
 * none. written: the file is complete. */
bool swi_wandb_online_close(struct wandb *w, bool written);
void swi_wandb_online_free(struct wandb *w);

#endif
