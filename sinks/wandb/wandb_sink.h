/* SPDX-License-Identifier: MIT */
/* wandb_sink.h - the state of one run: its options, its folder, its file. */
#ifndef SINKS_WANDB_WANDB_SINK_H
#define SINKS_WANDB_WANDB_SINK_H

#include "sinks/common/defined_rules.h"
#include "sinks/common/sample_names.h"
#include "sinks/common/thinning.h"
#include "sinks/wandb/account/sdk_settings.h"
#include "sinks/wandb/console/followed_file.h"
#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/file/run_records.h"
#include "sinks/wandb/run/sweep.h"
#include "sinks/wandb/values/fields.h"

#include <stepwatch/sink.h>

#include <limits.h>

/* ---- printed_lines.c: what the program prints to a file, as lines of its run ----------------- */

struct wandb;

enum { SWI_STREAMS = 2 }; /* standard output and standard error */

struct swi_printed_lines {
    struct swi_followed_file stream[SWI_STREAMS];
    int64_t grown_ns[SWI_STREAMS];  /* when it was last read */
    int64_t opened_ns[SWI_STREAMS]; /* when its unfinished line began */
    int64_t begun_ns;
    int64_t taken; /* bytes so far */
    bool full_said;
    struct swi_text report; /* for the end, unless a sink prints the report */
    bool reported;          /* the program's output has a report */
};

/* Begins to follow what can be followed, once the run has its folder. */
void swi_wandb_printed_begin(struct wandb *w);
/* Adds new lines to the run. */
void swi_wandb_printed_look(struct wandb *w);
/* Adds the text of a report: at once, or at the end if the program's output is followed and does
 * not have it. */
void swi_wandb_printed_report(struct wandb *w, const char *text, double wall_s);
/* Adds everything that was printed up to now, and stops. */
void swi_wandb_printed_end(struct wandb *w);
void swi_wandb_printed_free(struct swi_printed_lines *output);

/* ---- system_metrics.c: samples of monitors, under the names of wandb's System tab ------------ */

/* Fills a row with the keys of a sample. cpus: on how many of them the process may run. */
void swi_wandb_system_row(struct swi_fields *row, struct swi_sample_sums *sums,
                          const struct sw_record *record, double cpus);

/* Writes a sample, if samples are wanted of this run. */
void swi_wandb_sample(struct wandb *w, const struct sw_record *record);

/* Takes a sample and writes it, if one is due. */
void swi_wandb_sample_look(struct wandb *w);

/* ---- history.c: what the summary keeps ------------------------------------------------------- */

/* All values of a metric so far. */
struct swi_kept_metric {
    const char *name; /* the map's */
    double first, last;
    double min, max, sum; /* of the finite values */
    int64_t finite;
};

/* Initialise it as {0}. */
struct swi_kept_values {
    struct swi_defined_rules rules;
    bool kept_by_rules;    /* some rule says what to keep */
    struct swi_fields own; /* of sw_summary() */
    struct swi_map names;
    struct swi_kept_metric *metric; /* by number */
};

/* ---- file_rotation.c ------------------------------------------------------------------------- */

/* Initialise it as {most, most}. */
struct swi_file_rotation {
    int64_t most;   /* bytes of the newest records, before the older half is removed; 0: never */
    int64_t due;    /* size of the file at which that begins */
    int64_t cut;    /* offset in the old file of the newest records of the next one */
    int64_t number; /* of the last record before them */
    int64_t head;   /* of the next file, what is before them; 0: not known yet */
    struct swi_wandb_log next;
    struct swi_wandb_reader *reader; /* of the old file; NULL: no next file is being made */
    struct swi_identity identity;    /* of what it reads */
};

/* Removes the oldest rows of the file, a part of the work with each call. Returns true if it has
 * another file now, which lacks the draft. A failure is only reported: the file stays. */
bool swi_wandb_rotate(struct wandb *w);

/* Removes a file that is not complete. */
void swi_wandb_rotation_end(struct wandb *w);

/* ---- wandb_sink.c ---------------------------------------------------------------------------- */

struct swi_background;

struct wandb {
    /* options */
    const char *mode, *project, *entity, *run_id, *name, *notes, *group, *job_type, *dir, *ranks;
    const char *resume, *base_url, *ca_file, *key_file, *console_choice;
    const char *const *tags;
    int64_t interval_ns;
    bool system, insecure;
    struct swi_thinning thinning;

    struct sw_sink *sink;
    bool off;
    bool silent;            /* messages go only to a file of the run */
    bool quiet;             /* unimportant messages are left out */
    struct swi_text unsaid; /* messages that wait for that file */
    bool console;           /* lines of output belong to the run */
    char id[SWI_WANDB_VALUE];
    bool id_made;          /* randomly */
    char root[PATH_MAX];   /* DIR/wandb */
    char folder[PATH_MAX]; /* of the run */
    struct swi_records records;
    struct swi_file_rotation rotation;

    struct swi_fields row;     /* the row of `step`; written when a later step begins */
    struct swi_fields summary; /* all values that were written */
    struct swi_fields newest;  /* the last row, as far as the summary does not have it yet */
    struct swi_fields fresh;   /* values of the summary before it that are not written yet */
    struct swi_fields drafted; /* what the open row makes of the summary */
    struct swi_kept_values kept;
    struct swi_fields axes; /* metrics that have no rule, but are an axis */
    int64_t step;
    int64_t shift;     /* added to steps after they went back */
    int64_t looped_to; /* the last row of the loop's step, or -1 */
    bool said_given;   /* that values of sw_log_at() have no rows of their own */
    int64_t written;   /* step of the last row in the file, or -1 */
    double row_wall_s;
    int64_t last_ns; /* run time of the newest record */
    bool open;       /* row has values */
    bool own_epoch;  /* the program logs a metric named epoch */
    bool ended;
    bool failing;                /* the file cannot be written, which was reported */
    int64_t lost;                /* reported to core so far */
    int64_t passed;              /* number of the last record that bypassed the file */
    bool pass_failed;            /* the upload had no room for a record */
    bool end_written;            /* the end of the run is in the file, or waits for the disk */
    struct swi_sample_sums sums; /* of what monitors say */
    struct swi_text output;      /* what files/output.log does not have yet */
    bool output_begun, output_failing;
    struct swi_printed_lines printed;
    unsigned artifacts;           /* number of files */
    bool media_missing;           /* a file of a value could not be written, which was reported */
    bool row_cut;                 /* a row was too long, which was reported */
    struct swi_wandb_sweep sweep; /* its values have priority over the program's */
    struct swi_fields config;     /* all values so far, for config.yaml */
    char producer[64];
    char found_project[SWI_WANDB_VALUE], found_entity[SWI_WANDB_VALUE]; /* "" if not given */
    bool online_asked;             /* mode online was given, not only the default */
    bool online;                   /* there is a key: the run is uploaded while it is written */
    struct swi_background *upload; /* until the upload begins */
    struct swi_background *live;   /* afterwards */
    bool resume_auto, stop_said;
    int exit_code;
    int64_t deadline_ns; /* of the end of the program; 0: unknown */
    bool charted;        /* the chart of the step's time was described */
};

/* ---- history.c: one row for each step -------------------------------------------------------- */

/* Adds metrics to the row of their step. */
void swi_wandb_metrics(struct wandb *w, const struct sw_record *record);
/* Ends the open row if the record's step is a later one. */
void swi_wandb_step_of(struct wandb *w, const struct sw_record *record);
/* Returns the row for values of the newest step. */
struct swi_fields *swi_wandb_row(struct wandb *w, const struct sw_record *record);
/* Makes the next flush write the open row as it is so far. */
void swi_wandb_row_draft(struct wandb *w);
/* Writes the open row and begins the next step. */
void swi_wandb_row_end(struct wandb *w);
/* Returns the values of the summary that are not written yet. */
struct swi_fields *swi_wandb_fresh(struct wandb *w);
/* Writes the new values of the summary. They come after the rows that they belong to, in the same
 * write, so that a killed program leaves a summary that matches its rows. */
void swi_wandb_summary_write(struct wandb *w);

/* Writes what the summary has of a metric. Returns false if it has nothing. */
bool swi_kept_value(const struct swi_kept_values *kept, const struct swi_kept_metric *metric,
                    struct swi_text *json);
void swi_kept_fini(struct swi_kept_values *kept);

/* ---- metric_rules.c -------------------------------------------------------------------------- */

/* Writes the rules that every run has: metrics of the validation are drawn over the epoch. */
void swi_wandb_rules_begin(struct wandb *w);
/* Takes a rule of sw_define(). */
void swi_wandb_rule(struct wandb *w, const struct sw_defined_rule *defined);
/* Takes a value of sw_summary(). */
void swi_wandb_summary_own(struct wandb *w, const struct sw_summary_value *value);
/* Adds the list of all rules, for config.yaml. */
void swi_wandb_rules_yaml(struct swi_text *text, const struct wandb *w);

/* ---- logged_values.c ------------------------------------------------------------------------- */

/* Takes a record of a value. One that cannot be written is reported once, and counted. */
void swi_wandb_value(struct wandb *w, const struct sw_record *record);

/* ---- fit_report.c ---------------------------------------------------------------------------- */

/* Writes the summary keys and tables of a fit. */
int swi_wandb_fit_report(struct wandb *w, const struct sw_record *record, struct sw_error *err);
/* Adds a distribution, with its values multiplied by scale, in the form in which the SDK stores a
 * list of numbers in the summary. */
void swi_wandb_distribution(struct swi_text *text, const struct sw_distribution *d, double scale);

/* Writes the report of all ranks: a table, and in the summary the straggler. */
int swi_wandb_ranks_report(struct wandb *w, const struct sw_record *record, struct sw_error *err);

/* ---- media_files.c: files of values below files/media/, which rows name ---------------------- */

/* Writes a file for a row, and the record that uploads it. Adds its path below files/ to `path`:
 * media/KIND/KEY_STEP_SHA20.EXTENSION. Returns false if it could not be written; the first time,
 * that is reported, and it is counted. */
bool swi_wandb_media_put(struct wandb *w, struct swi_text *path, const char *kind, const char *key,
                         const char *extension, const void *bytes, size_t size, const char *sha256);

/* Reports and counts a value or a file that is missing from the run. */
void swi_wandb_media_missing(struct wandb *w, const char *name, const struct sw_error *err);

/* A cell may also be null. */
enum swi_wandb_type { SWI_WANDB_STRING, SWI_WANDB_NUMBER, SWI_WANDB_BOOLEAN };

/* Initialise it as {.key = …, .rows = …}. */
struct swi_wandb_table {
    const char *key;
    size_t columns, rows;
    struct swi_text names, types; /* of the columns, as members of JSON */
    struct swi_text data;         /* the rows as JSON: [["draw",1.5],…] */
};

void swi_wandb_column_add(struct swi_wandb_table *table, const char *name,
                          enum swi_wandb_type type);

/* Writes the files and records of a table, and frees its texts. The value goes into the row of the
 * newest step. A file that cannot be written is reported and counted, and is not an error. */
int swi_wandb_table_write(struct wandb *w, const struct sw_record *record,
                          struct swi_wandb_table *table, struct sw_error *err);

/* ---- output_log.c: lines of output of the run ------------------------------------------------ */

/* Adds lines, each ended by a line feed. error: as those of standard error. */
void swi_wandb_output(struct wandb *w, const char *lines, bool error, double wall_s);
/* Takes a line of sw_log_line(). */
void swi_wandb_line(struct wandb *w, const struct sw_record *record);
/* Writes new lines to the file. A failure is reported once, and tried again. */
void swi_wandb_output_flush(struct wandb *w);

/* Sends a message to the user. With WANDB_SILENT, writes it only to logs/debug.log of the run's
 * folder, as the SDK does. */
__attribute__((format(printf, 3, 4))) void swi_wandb_say(struct wandb *w, int level,
                                                         const char *format, ...);

/* Writes the messages that wait for that file, once there is a folder. */
void swi_wandb_say_flush(struct wandb *w);

/* ---- run_open.c: the run's folder, and the first records of its file ------------------------- */

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
 * reported. metadata: freed. */
void swi_wandb_run_files_begin(struct wandb *w, struct swi_text *metadata);
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
/* Passes the records that wait for a full disk to the upload. Returns false without an upload, or
 * if not all were taken. */
bool swi_wandb_online_pass(struct wandb *w);
/* Reports the messages of the upload. */
void swi_wandb_online_flush(struct wandb *w);
/* Waits for the upload within close_timeout, and reports its result. Returns false if there was
 * none. written: the file is complete. */
bool swi_wandb_online_close(struct wandb *w, bool written);
void swi_wandb_online_free(struct wandb *w);

#endif
