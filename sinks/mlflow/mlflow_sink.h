/* SPDX-License-Identifier: MIT */
/* mlflow_sink.h - the state of the sink mlflow. */
#ifndef SINKS_MLFLOW_MLFLOW_SINK_H
#define SINKS_MLFLOW_MLFLOW_SINK_H

#include "core/files/identity.h"
#include "core/text/buffer.h"
#include "core/text/map.h"
#include "sinks/common/sample_names.h"
#include "sinks/common/thinning.h"

#include <stepwatch/error.h>
#include <stepwatch/ranks.h>
#include <stepwatch/sink.h>

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* ---- system_names.c -------------------------------------------------------------------------- */

struct mlflow;

/* What is known of the samples so far. Initialise it as {0}. */
struct swi_mlflow_samples {
    int64_t interval_ns;     /* between two that the sink takes itself; 0: it takes none */
    bool taken;              /* one was */
    struct swi_map monitors; /* by the name of the first metric, which is the same in all samples */
    int64_t *count;          /* of the samples of each monitor */
    struct swi_sample_sums sums;
};

/* Begins with the run: the figures of the first sample are differences to now. */
void swi_mlflow_samples_begin(struct mlflow *m);

/* Adds the lines of a sample, if one is due. */
void swi_mlflow_samples_look(struct swi_text *text, struct mlflow *m);

/* Adds the lines of a record of a monitor. Their step counts the samples of that monitor. */
void swi_mlflow_sample_lines(struct swi_text *text, struct mlflow *m,
                             const struct sw_record *record);

void swi_mlflow_samples_free(struct swi_mlflow_samples *samples);

/* ---- tables, and values of sw_summary() ------------------------------------------------------ */

/* The newest file of a table. */
struct swi_table_artifact {
    char *columns;    /* JSON of their names; NULL before the file exists */
    const char *path; /* one of `paths` */
    size_t rows;      /* in that file */
};

/* Initialise it as {0}. */
struct swi_table_artifacts {
    struct swi_map names;
    struct swi_table_artifact *item; /* by the number of the name */
    struct swi_map paths;            /* of all files so far, so that no other table gets one */
};

struct swi_summary_line {
    double value;
    bool hidden; /* a metric of this name was logged afterwards */
};

/* Initialise it as {0}. */
struct swi_summary_lines {
    struct swi_map names;
    struct swi_summary_line *item; /* by the number of the name */
};

/* ---- journal.c ------------------------------------------------------------------------------- */

enum { SWI_JOURNAL_KEPT = 4 << 20 };

struct swi_journal {
    int fd;
    struct swi_identity identity;
    char *path;              /* to open it again if the program has closed the descriptor */
    struct swi_text waiting; /* not written yet */
    size_t written;          /* bytes of waiting that are */
    int64_t size;            /* of the file */
    int64_t dropped;         /* records that there was no room for */
    bool failing;            /* the last write failed */
};

/* Creates the file, which must not exist, and locks it as long as it is open. */
int swi_journal_create(struct swi_journal *journal, const char *path, struct sw_error *err);

/* Adds the lines of a record. They are written by the next flush, or at once if there are many. */
void swi_journal_add(struct swi_journal *journal, const struct swi_text *lines);

/* Writes what waits. Returns 0, or SW_EIO if not all was written: it is kept. */
int swi_journal_flush(struct swi_journal *journal, struct sw_error *err);

/* Drops what could not be written, and counts its lines among the dropped. */
void swi_journal_give_up(struct swi_journal *journal);

/* Closes it after a last flush. Returns what that does. Frees what was not written. */
int swi_journal_finish(struct swi_journal *journal, struct sw_error *err);

/* Continues in another file that has taken the place of the first one. fd: of that file, taken
 * over. */
void swi_journal_continue(struct swi_journal *journal, int fd, int64_t size);

/* ---- journal_rotation.c ---------------------------------------------------------------------- */

/* Initialise it as {most, most}. */
struct swi_journal_rotation {
    int64_t most;  /* bytes of the newest lines, before the older half is removed; 0: never */
    int64_t due;   /* size of the journal at which that begins */
    int64_t shift; /* from the offset of a newest line in the file to that in all lines so far */
    bool copies;   /* the next file is being made */
    int64_t from;  /* offset in the old file: what is before it was copied or removed */
    int64_t cut;   /* offset in the old file of the newest lines of the next one */
    int64_t size;  /* of the next file */
    int64_t head;  /* of it, what is before the newest lines; 0: not known yet */
};

/* Removes the oldest metrics of the journal, a part of the work with each call: makes a file that
 * lacks them, which takes the place of the journal as a whole. Returns 0 or SW_EIO, and the journal
 * stays as it is. */
int swi_journal_rotate(struct swi_journal_rotation *rotation, struct swi_journal *journal,
                       struct sw_error *err);

/* Removes a file that is not complete. */
void swi_journal_rotation_end(struct swi_journal_rotation *rotation,
                              const struct swi_journal *journal);

/* ---- journal.c: the summary ------------------------------------------------------------------ */

/* Adds the line of a value of the summary. */
void swi_summary_line_add(struct swi_summary_lines *lines, struct swi_text *text,
                          const struct sw_summary_value *summary);

/* Notes which values of the summary newer metrics hide. */
void swi_summary_lines_note(struct swi_summary_lines *lines, const struct sw_record *record);

/* Adds the lines of hidden values once more, at the end of the run. */
void swi_summary_lines_end(struct swi_summary_lines *lines, struct swi_text *text);
void swi_summary_lines_free(struct swi_summary_lines *lines);

/* ---- mlflow_sink.c --------------------------------------------------------------------------- */

struct swi_tracking_upload;

struct mlflow {
    const char *dir; /* the options */
    const char *mode;
    const char *tracking_uri;
    const char *experiment;
    const char *run_name;
    const char *notes;
    const char *const *tags;
    const char *ranks;
    int64_t interval_ns;
    bool user;
    bool system;
    struct swi_thinning thinning;

    struct sw_sink *sink;
    bool off; /* another process makes the run */
    char uid[33];
    char folder[PATH_MAX];
    struct swi_journal journal;
    struct swi_journal_rotation rotation;
    bool failing;           /* the journal could not be written, which was said */
    struct swi_text lines;  /* of one record; reused for its memory */
    struct swi_text tables; /* of the last report, for the note */
    struct swi_mlflow_samples samples;
    struct swi_table_artifacts tables_kept;
    struct swi_summary_lines summary;
    FILE *output;         /* of the program's lines; NULL: none so far */
    int64_t output_ns;    /* when it was last uploaded */
    bool output_grown;    /* since then */
    bool no_output;       /* it could not be created, which was said */
    bool has_images;      /* the run has a tag that says so */
    bool value_missing;   /* which was said */
    unsigned unsupported; /* what was said that MLflow lacks */
    int64_t deadline_ns;  /* of the end of the run; 0: unknown */
    bool ended;           /* the journal has the end of the run */

    struct swi_tracking_upload *live; /* the upload; NULL: none */
};

/* ---- what MLflow has no place for ------------------------------------------------------------ */

enum { SWI_UNSUPPORTED_CAPTIONS = 1, SWI_UNSUPPORTED_RULES = 2, SWI_UNSUPPORTED_ALIASES = 4 };

/* Says it, once for each kind. */
static inline void swi_mlflow_unsupported(struct mlflow *m, unsigned kind, const char *text)
{
    if (!(m->unsupported & kind))
        sw_sink_say(m->sink, 0, "%s", text);
    m->unsupported |= kind;
}

/* ---- run_tags.c ------------------------------------------------------------------------------ */

/* Adds the line. */
void swi_mlflow_run_line(struct swi_text *text, struct mlflow *m);

/* Adds a line that sets a tag. */
void swi_mlflow_tag_line(struct swi_text *text, const char *key, const char *value);

/* ---- tracking_online.c ----------------------------------------------------------------------- */

/* Wrong settings prevent the upload, but not the journal. */
void swi_mlflow_online_start(struct mlflow *m);
void swi_mlflow_online_flush(struct mlflow *m);
/* written: the journal has everything. */
void swi_mlflow_online_close(struct mlflow *m, bool written);

/* ---- artifact_files.c: files that become artifacts of the run -------------------------------- */

/* Adds a name as the path of an artifact, without what the server or its page would refuse. */
void swi_artifact_key(struct swi_text *path, const char *name);

/* Writes a whole artifact, in place of one of that path, and then adds the line that uploads it.
 * table: the server's page shows it as a table. Returns false if it could not be written; the first
 * time, that is said, and it is counted. */
bool swi_artifact_put(struct mlflow *m, const struct swi_text *path, const void *bytes, size_t size,
                      bool table);

/* Copies a file of the program, in the same way. */
bool swi_artifact_copy(struct mlflow *m, const struct swi_text *path,
                       const struct sw_kept_file *file);

/* Adds the line that uploads an artifact as it is by then. file: path of the artifact whose content
 * it has; NULL: its own. */
void swi_artifact_line(struct mlflow *m, const char *path, const char *file, bool table);

/* Reports and counts a value that is missing from the run. */
void swi_artifact_missing(struct mlflow *m, const char *name, const struct sw_error *err);

/* Adds an alert to the table alerts.json. */
void swi_mlflow_alert(struct mlflow *m, const struct sw_record *record);

/* Adds a line to output.log. */
void swi_mlflow_line(struct mlflow *m, const struct sw_line *line);

/* Adds the line that uploads output.log, if it has grown: each minute, or now. */
void swi_mlflow_lines_upload(struct mlflow *m, bool now);

/* Adds rows to the file of a table. If the columns are others than before, or the file is full, it
 * begins another file. columns: JSON array of texts. rows: JSON array of `count` arrays. */
void swi_table_put(struct mlflow *m, const char *name, const struct swi_text *columns,
                   const struct swi_text *rows, size_t count);
void swi_tables_free(struct swi_table_artifacts *tables);

/* ---- value_artifacts.c ----------------------------------------------------------------------- */

/* Writes a value as a file and adds the lines that upload it. */
void swi_mlflow_value(struct mlflow *m, const struct sw_record *record);

/* Writes all_ranks.md, with the verdict, and the table all_ranks.json, in place of those of an
 * earlier fit. */
void swi_mlflow_ranks(struct mlflow *m, const struct sw_ranks *ranks);

#endif
