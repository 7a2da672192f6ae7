/* SPDX-License-Identifier: MIT */
/* experiment.c - finds or creates the experiment of a run at the server. */
#include "sinks/mlflow/upload/run_upload.h"
#include "core/text/escape.h"
#include "net/json.h"

#include <stdio.h>
#include <string.h>

static const char *experiment_of(const struct swi_run_upload *upload)
{
    const char *name = upload->options.experiment;
    if (!name || !*name)
        name = swi_journal_text(&upload->described, "experiment");
    if (!*name)
        name = upload->options.server->experiment;
    return *name ? name : "Default";
}

static const char *experiment_id_of(const struct swi_run_upload *upload)
{
    bool named = (upload->options.experiment && *upload->options.experiment) ||
                 *swi_journal_text(&upload->described, "experiment");
    const char *id = swi_journal_text(&upload->described, "experiment_id");
    return *id ? id : named ? "" : upload->options.server->experiment_id;
}

static void keep(struct swi_run_upload *upload, const char *id)
{
    snprintf(upload->state.experiment_id, sizeof upload->state.experiment_id, "%s", id);
}

/* Takes an experiment from an answer. */
static int experiment_take(struct swi_run_upload *upload, const json_t *answer, const char *name,
                           struct sw_error *err)
{
    const json_t *found = json_object_get(answer, "experiment");
    const char *id = swi_json_text_at(found, "experiment_id");
    const char *stage = swi_json_text_at(found, "lifecycle_stage");
    if (strcmp(stage, "deleted") == 0)
        return sw_error_set(err, SW_EIO,
                            "%s: the experiment \"%s\" was deleted: restore it, or set another "
                            "one in MLFLOW_EXPERIMENT_NAME or the option experiment",
                            upload->options.server->base_url, name);
    if (!*id)
        return sw_error_set(err, SW_EIO, "%s: the answer has no experiment_id: is it MLflow?",
                            upload->options.server->base_url);
    keep(upload, id);
    return 0;
}

/* Returns 1 if the experiment exists, 0 if not. */
static int experiment_get(struct swi_run_upload *upload, const char *name, struct sw_error *err)
{
    json_t *answer;
    int status;
    int rc = swi_tracking_get(&upload->tracking, "experiments/get-by-name?experiment_name=", name,
                              &answer, &status, err);
    if (rc == SW_EIO && status == 404) {
        sw_error_free(err);
        return 0;
    }
    if (rc == 0)
        rc = experiment_take(upload, answer, name, err) == 0 ? 1 : SW_EIO;
    json_decref(answer);
    return rc;
}

/* Returns 1 if it was created, 0 if another process was faster. */
static int experiment_create(struct swi_run_upload *upload, const char *name, struct sw_error *err)
{
    struct swi_text body = {0};
    json_t *answer;
    int status;
    swi_json_format(&body, "{\"name\":%s}", name);
    int rc =
        swi_tracking_send(&upload->tracking, "experiments/create", &body, &answer, &status, err);
    bool exists =
        rc == SW_EIO && status == 400 && strstr(sw_error_text(err), "already exists") != NULL;
    if (rc == 0)
        keep(upload, swi_json_text_at(answer, "experiment_id"));
    json_decref(answer);
    if (exists)
        sw_error_free(err);
    else if (rc == SW_EIO && status == 400)
        sw_error_prefix(err,
                        "experiment \"%.80s\" cannot be created (choose another name with the "
                        "option experiment, MLFLOW_EXPERIMENT_NAME or stepwatch sync --experiment)",
                        name);
    return exists ? 0 : rc == 0 ? *upload->state.experiment_id != '\0' : rc;
}

static int experiment_named(struct swi_run_upload *upload, const char *name, struct sw_error *err)
{
    for (int tries = 0; tries < 3; tries++) {
        int rc = experiment_get(upload, name, err);
        if (rc == 0)
            rc = experiment_create(upload, name, err);
        if (rc != 0)
            return rc < 0 ? rc : 0;
    }
    return sw_error_set(err, SW_EIO,
                        "%s: the experiment \"%s\" neither exists nor can be created: was it "
                        "deleted?",
                        upload->options.server->base_url, name);
}

/* The id counts; a name that is set too must be its name. */
static int experiment_by_id(struct swi_run_upload *upload, const char *id, struct sw_error *err)
{
    json_t *answer;
    const char *name = upload->options.server->experiment;
    int rc = swi_tracking_get(&upload->tracking, "experiments/get?experiment_id=", id, &answer,
                              NULL, err);
    const char *found = swi_json_text(swi_json_at(answer, "experiment", "name"));
    if (rc == 0 && *name && strcmp(name, found) != 0)
        rc = sw_error_set(err, SW_EIO,
                          "MLFLOW_EXPERIMENT_ID %s is the experiment \"%.200s\", but "
                          "MLFLOW_EXPERIMENT_NAME is \"%.200s\": unset one of them",
                          id, found, name);
    if (rc == 0)
        rc = experiment_take(upload, answer, found, err);
    json_decref(answer);
    return rc;
}

int swi_experiment_find(struct swi_run_upload *upload, struct sw_error *err)
{
    const char *id = experiment_id_of(upload);
    return *id ? experiment_by_id(upload, id, err)
               : experiment_named(upload, experiment_of(upload), err);
}
