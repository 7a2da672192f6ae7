/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/upload/saved_upload.h"
#include "net/json.h"
#include "net/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Gets a number, or 0. Returns whether it exists. */
static bool number(const json_t *json, const char *name, int64_t *value)
{
    const json_t *found = json_object_get(json, name);
    *value = json_integer_value(found) > 0 ? json_integer_value(found) : 0;
    return json_is_integer(found) && json_integer_value(found) >= 0;
}

/* Fields that older releases did not write are 0. */
static void parts_take(struct swi_saved_upload *keep, const json_t *json)
{
    number(json, "alerts", &keep->alerts);
    number(json, "rest", &keep->rest);
    number(json, "placed", &keep->placed);
    number(json, "sent", &keep->sent);
    number(json, "tried", &keep->tried);
    keep->fixed = number(json, "shift", &keep->shift);
    keep->runtime_s = json_number_value(json_object_get(json, "runtime"));
    snprintf(keep->run, sizeof keep->run, "%s", swi_json_text(json_object_get(json, "run")));
}

bool swi_saved_upload_load(struct swi_saved_upload *keep, const char *log_path)
{
    json_t *json = swi_state_load(log_path);
    bool good = number(json, "history", &keep->history) && number(json, "events", &keep->events) &&
                number(json, "output", &keep->output) && number(json, "step", &keep->step);
    parts_take(keep, json);
    json_decref(json);
    return good;
}

int swi_saved_upload_save(const struct swi_saved_upload *keep, const char *log_path, bool lasting,
                          struct sw_error *err)
{
    json_t *json = json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:s, s:I, s:I, s:I}", "alerts",
                             (json_int_t)keep->alerts, "history", (json_int_t)keep->history,
                             "events", (json_int_t)keep->events, "output", (json_int_t)keep->output,
                             "step", (json_int_t)keep->step, "runtime", keep->runtime_s, "run",
                             keep->run, "placed", (json_int_t)keep->placed, "sent",
                             (json_int_t)keep->sent, "tried", (json_int_t)keep->tried);
    if (json && keep->rest)
        json_object_set_new(json, "rest", json_integer((json_int_t)keep->rest));
    if (json && keep->fixed)
        json_object_set_new(json, "shift", json_integer((json_int_t)keep->shift));
    return swi_state_save(log_path, json, lasting, err);
}
