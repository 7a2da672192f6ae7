/* SPDX-License-Identifier: MIT */
#include "sinks/mlflow/upload/upload_state.h"
#include "net/json.h"
#include "net/state_file.h"

#include <stdio.h>

static void text_get(const json_t *json, const char *name, char *text, size_t size)
{
    snprintf(text, size, "%s", swi_json_text(json_object_get(json, name)));
}

static int64_t number_get(const json_t *json, const char *name)
{
    int64_t number = json_integer_value(json_object_get(json, name));
    return number > 0 ? number : 0;
}

bool swi_upload_state_load(struct swi_upload_state *state, const char *journal)
{
    json_t *json = swi_state_load(journal);
    *state = (struct swi_upload_state){.confirmed = number_get(json, "confirmed"),
                                       .sending = number_get(json, "sending"),
                                       .doubtful = json_is_true(json_object_get(json, "doubtful")),
                                       .done = json_is_true(json_object_get(json, "done"))};
    text_get(json, "server", state->server, sizeof state->server);
    text_get(json, "run_id", state->run_id, sizeof state->run_id);
    text_get(json, "experiment_id", state->experiment_id, sizeof state->experiment_id);
    text_get(json, "artifact_uri", state->artifacts, sizeof state->artifacts);
    bool found = json_is_object(json);
    json_decref(json);
    return found;
}

int swi_upload_state_save(const struct swi_upload_state *state, const char *journal,
                          struct sw_error *err)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:b, s:b}", "server", state->server, "run_id",
                  state->run_id, "experiment_id", state->experiment_id, "artifact_uri",
                  state->artifacts, "confirmed", (json_int_t)state->confirmed, "sending",
                  (json_int_t)state->sending, "doubtful", state->doubtful, "done", state->done);
    return swi_state_save(journal, json, true, err);
}
