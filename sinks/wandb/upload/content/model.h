/* SPDX-License-Identifier: MIT */
/* model.h - the description of a run in the records of a file: everything but rows and lines. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_MODEL_H
#define SINKS_WANDB_UPLOAD_CONTENT_MODEL_H

#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/file/record_messages.h"
#include "sinks/wandb/values/fields.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A metric of define_metric. Sets are lists of the service's numbers, terminated by 0. */
struct swi_model_metric {
    const char *name; /* the map's */
    bool glob;
    bool defined;      /* not only the step metric of others */
    size_t entry;      /* number of its entry in the list that is made, from 1 */
    char *step_metric; /* or NULL */
    unsigned char options[4], summary[9];
    int goal;
};

/* A file below files/. */
struct swi_model_file {
    const char *path; /* the map's */
    bool at_end;      /* it may change until the end */
    bool done;
    uint64_t version; /* of what was sent; 0: nothing yet */
};

struct swi_model {
    /* Texts are "" if not given. */
    char *id, *entity, *project, *group, *job_type, *name, *notes, *host, *program, *sweep;
    char *repo, *commit;
    json_t *tags;
    double started_s;

    json_t *config;      /* {"key":{"value":…}}, without _wandb */
    json_t *kept;        /* other members of _wandb: custom charts, names of classes */
    json_t *telemetry;   /* the member t of _wandb */
    json_t *environment; /* wandb-metadata.json */
    json_t *artifacts;   /* a list; see send_files.h */
    char *client, *python;
    struct swi_map metrics;          /* names with '1' before them, and patterns with '2' */
    struct swi_model_metric *metric; /* by the number of the name */
    size_t *pattern;                 /* numbers of the patterns */
    size_t pattern_count, pattern_room;
    bool ruled; /* some metric has a rule for the summary */
    struct swi_fields summary;
    json_t *nested; /* values of the summary with names of several parts; they have priority */
    struct swi_map paths;
    struct swi_model_file *file; /* by the number of the path */

    /* Values that a later process of the run has set. They have priority over this file. Objects,
     * or NULL. */
    json_t *later_config, *later_summary;
    double runtime_s; /* of earlier processes; added to the summary's run time */
    bool own;         /* stepwatch wrote the file: the summary is the last values of its rows */
    bool continued;   /* its run times include those of an earlier process */

    bool known;   /* a run record was read */
    bool changed; /* the config or its parts changed since this was last set to false */
    bool ended;
    bool goes_on;    /* its end is that of this process only: the run stays as it is */
    bool preempting; /* the process may be suspended; not posted yet */
    int exit_code;
    bool failed; /* out of memory: it is incomplete */
};

bool swi_model_init(struct swi_model *model);
void swi_model_fini(struct swi_model *model);

/* Takes a record. Rows, statistics and lines are ignored. */
void swi_model_take(struct swi_model *model, const struct swi_record_message *record);

/* Writes what a later record of the run may change: names, notes and tags. */
void swi_model_about(const struct swi_model *model, struct swi_text *json);

/* Copies a text; NULL becomes "". */
static inline bool swi_model_set(char **to, const char *text)
{
    char *copied = strdup(text ? text : "");
    if (!copied)
        return false;
    free(*to);
    *to = copied;
    return true;
}

/* ---- definitions of metrics ------------------------------------------------------------------ */

/* Takes a definition. A later one adds to an earlier one, unless it says that it overwrites it. */
void swi_model_take_metric(struct swi_model *model, const struct swi_metric_message *said);

/* Returns whether rules say what the summary has of a metric: that of its name, or the longest
 * pattern. */
bool swi_model_is_ruled(const struct swi_model *model, const char *name);

/* ---- model_summary.c ------------------------------------------------------------------------- */

/* Takes the items of a summary record, or of a run record; NULL is nothing. */
void swi_model_take_summary(struct swi_model *model, const struct swi_items_message *items);

/* Adds a row of the history to the summary, with its step at the service. */
void swi_model_row(struct swi_model *model, const struct swi_history_message *history,
                   int64_t step);

/* Writes the summary as JSON. */
void swi_model_summary(const struct swi_model *model, struct swi_text *json);

/* Adds keys of an earlier process's summary that are not set again. */
void swi_model_resume_summary(struct swi_model *model, json_t *before);

/* ---- model_config.c -------------------------------------------------------------------------- */

/* Takes the items of a config record, or of a run record; NULL is nothing. */
void swi_model_take_config(struct swi_model *model, const struct swi_items_message *items);

/* Write the config of upsertBucket, and the file config.yaml. */
void swi_model_config(const struct swi_model *model, struct swi_text *json);
void swi_model_yaml(const struct swi_model *model, struct swi_text *yaml);

/* Adds keys of an earlier process's config, {"key":{"value":…}}, that are not set again. */
void swi_model_resume_config(struct swi_model *model, json_t *before);

#endif
