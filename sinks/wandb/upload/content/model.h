/* SPDX-License-Identifier: MIT */
/* model.h - what the records of a file say the run is: everything but its rows and lines. */
#ifndef SINKS_WANDB_UPLOAD_CONTENT_MODEL_H
#define SINKS_WANDB_UPLOAD_CONTENT_MODEL_H

#include "sinks/wandb/file/reader.h"
#include "sinks/wandb/values/fields.h"

#include <jansson.h>

/* A metric as define_metric says it. Sets are lists of the service's numbers, 0 at their end. */
struct swi_model_metric {
    char *name;
    bool glob;
    char *step_metric; /* or NULL */
    unsigned char options[4], summary[9];
    int goal;
};

/* A file below files/. */
struct swi_model_file {
    char *path;
    bool at_end; /* it may still change until then */
    bool done;
    uint64_t version; /* of what was sent of it; 0: nothing yet */
};

struct swi_model {
    /* Texts are "" where nothing is said. */
    char *id, *entity, *project, *group, *job_type, *name, *notes, *host, *program, *sweep;
    char *repo, *commit;
    json_t *tags;
    double started_s;

    json_t *config;      /* {"key":{"value":…}}, without _wandb */
    json_t *kept;        /* what else _wandb has: custom charts, names of classes */
    json_t *telemetry;   /* its t */
    json_t *environment; /* wandb-metadata.json */
    json_t *artifacts;   /* list; artifacts.h */
    char *client, *python;
    size_t metric_count;
    struct swi_model_metric *metric;
    struct swi_fields summary;
    json_t *nested; /* what belongs to the summary and has a name of several parts; it counts */
    size_t file_count;
    struct swi_model_file *file;

    /* What a later process of the run has set counts more than this file: objects, or NULL. */
    json_t *later_config, *later_summary;
    double runtime_s; /* of earlier processes, added to the summary's run time */
    bool own;         /* stepwatch wrote it: the summary is the last values of its rows */
    bool continued;   /* its own run times count on from those of an earlier process */

    bool known;   /* a run record was read */
    bool changed; /* config or what belongs to it, since that was last set to false */
    bool ended;
    int exit_code;
    bool failed; /* no memory: it is not whole */
};

bool swi_model_init(struct swi_model *model);
void swi_model_fini(struct swi_model *model);

/* Takes what a record says; rows, statistics and lines say nothing here. */
void swi_model_take(struct swi_model *model, const SwiWandb__Record *record);

/* Takes a row of the history into the summary, with the step that it has at the service. */
void swi_model_row(struct swi_model *model, const SwiWandb__History *history, int64_t step);

/* The text of upsertBucket's config, and of the file config.yaml. */
void swi_model_config(const struct swi_model *model, struct swi_text *json);
void swi_model_yaml(const struct swi_model *model, struct swi_text *yaml);
void swi_model_summary(const struct swi_model *model, struct swi_text *json);

/* Adds what an earlier process of the same run left: keys that are not set again. Each may be NULL.
 */
void swi_model_resume(struct swi_model *model, const char *config, const char *summary);

/* Has what a later process of the run left count more than this file. */
void swi_model_yield(struct swi_model *model, const char *config, const char *summary);

/* Copies a text; NULL is "". */
bool swi_model_set(char **to, const char *text);

#endif
