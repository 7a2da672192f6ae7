/* SPDX-License-Identifier: MIT */
#include "tools/explain/explained_json.h"

#include "tools/log/findings_json.h"
#include "tools/log/run_replay.h"
#include "tools/output/text.h"

static json_t *checked_json(const struct swi_advice *advice)
{
    json_t *list = json_array();
    for (size_t i = 0; i < advice->checked_count; i++) {
        const struct swi_checked *checked = &advice->checked[i];
        json_t *object = json_object();
        json_object_set_new(object, "id", json_string(checked->id));
        json_object_set_new(object, "verdict", json_string(swi_verdict_name(checked->verdict)));
        if (checked->why)
            json_object_set_new(object, "why", text_json(checked->why));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *fit_json(const struct explained_fit *fit)
{
    json_t *object = json_object();
    json_object_set_new(object, "fit", json_integer(fit->number));
    json_object_set_new(object, "steps", json_integer((json_int_t)fit->steps));
    if (fit->judged < fit->steps)
        json_object_set_new(object, "judged", json_integer((json_int_t)fit->judged));
    json_object_set_new(object, "findings", findings_json(&fit->advice));
    json_object_set_new(object, "checked", checked_json(&fit->advice));
    return object;
}

json_t *explained_json(const struct explained *explained)
{
    json_t *fits = json_array();
    for (size_t i = 0; i < explained->count; i++)
        json_array_append_new(fits, fit_json(&explained->fit[i]));
    return json_pack("{s:o, s:o}", "log", log_json(&explained->replay), "fits", fits);
}
