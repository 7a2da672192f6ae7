/* SPDX-License-Identifier: MIT */
/* run_tags.c - the line of the journal that says what the run is in MLflow: its experiment, name
 * and tags. */
#include "sinks/mlflow/mlflow_sink.h"
#include "core/text/address_user.h"
#include "core/text/escape.h"
#include "sinks/common/git.h"
#include "sinks/mlflow/upload/tracking_server.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Adds a text that will be uploaded. */
static void value_add(struct swi_text *text, const char *value)
{
    char *clean = swi_address_clean_copy(value);
    swi_escape_json(text, clean ? clean : "");
    free(clean);
}

/* The run as others see it. */
struct described {
    struct swi_text *text;
    bool tagged; /* the list of tags has one */
};

static void field_add(struct swi_text *text, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    swi_text_format(text, ",\"%s\":", key);
    value_add(text, value);
}

static void tag_add(struct described *d, const char *key, const char *value)
{
    if (!value || !*value)
        return;
    swi_json_format(d->text, d->tagged ? ",%s:" : "%s:", key);
    value_add(d->text, value);
    d->tagged = true;
}

static void user_add(struct described *d, struct mlflow *m)
{
    char user[256];
    swi_login_name(user, sizeof user, swi_env_of_sink, m->sink);
    tag_add(d, "mlflow.user", user);
}

static void git_add(struct described *d)
{
    char here[PATH_MAX];
    struct swi_git git;
    if (!getcwd(here, sizeof here) || !swi_git_find(&git, here))
        return;
    tag_add(d, "mlflow.source.git.commit", git.commit);
    tag_add(d, "mlflow.source.git.branch", git.branch);
    tag_add(d, "mlflow.source.git.repoURL", git.remote);
}

/* A replayed run was in another folder, and perhaps somebody else's. */
static void tags_add(struct described *d, struct mlflow *m)
{
    const struct sw_run *run = m->sink->run;
    if (m->user)
        user_add(d, m);
    tag_add(d, "mlflow.source.name", run->program);
    tag_add(d, "mlflow.source.type", "LOCAL");
    if (!run->replayed)
        git_add(d);
    tag_add(d, "mlflow.note.content", m->notes);
    for (const char *const *tag = m->tags; tag && tag[0]; tag += 2)
        tag_add(d, tag[0], tag[1]);
}

/* All ranks have the tag of their group, by which they find the run of rank 0. */
static const char *group_of(const struct mlflow *m)
{
    const struct sw_run *run = m->sink->run;
    if (run->world_size == 1 || strcmp(m->ranks, "all") != 0)
        return "";
    return SW_HAS(run->size, run, id) && *run->id ? run->id : run->job;
}

static void group_add(struct described *d, const struct mlflow *m)
{
    char rank[32];
    snprintf(rank, sizeof rank, "%" PRId64, m->sink->run->rank);
    if (!*group_of(m))
        return;
    tag_add(d, "stepwatch.group", group_of(m));
    tag_add(d, "stepwatch.rank", rank);
}

void swi_mlflow_run_line(struct swi_text *text, struct mlflow *m)
{
    struct described d = {.text = text};
    bool named = m->experiment && *m->experiment;
    swi_text_put(text, "{\"type\":\"mlflow\"");
    field_add(text, "uid", m->uid);
    field_add(text, "experiment",
              named ? m->experiment : sw_sink_getenv(m->sink, "MLFLOW_EXPERIMENT_NAME"));
    if (!named)
        field_add(text, "experiment_id", sw_sink_getenv(m->sink, "MLFLOW_EXPERIMENT_ID"));
    field_add(text, "run_name", m->run_name);
    field_add(text, "run_id", sw_sink_getenv(m->sink, "MLFLOW_RUN_ID"));
    field_add(text, "group", group_of(m));
    swi_text_format(text, ",\"rank\":%" PRId64 ",\"tags\":{", m->sink->run->rank);
    tags_add(&d, m);
    group_add(&d, m);
    swi_text_put(text, "}}\n");
}

void swi_mlflow_tag_line(struct swi_text *text, const char *key, const char *value)
{
    swi_text_put(text, "{\"type\":\"tag\"");
    field_add(text, "key", key);
    field_add(text, "value", value);
    swi_text_put(text, "}\n");
}
