/* SPDX-License-Identifier: MIT */
#include "tools/log/log_json.h"

#include "tools/output/text.h"

json_t *log_json(const struct replay *replay)
{
    json_t *object = json_pack("{s:o, s:I, s:b, s:b}", "path", text_json(replay->path), "lines",
                               (json_int_t)replay->lines, "finished", replay->finished,
                               "interrupted", replay->interrupted);
    if (replay->interrupted)
        json_object_set_new(object, "cause", text_json(replay->cause));
    json_object_set_new(object, "torn", json_boolean(replay->torn));
    json_object_set_new(object, "damaged", json_integer(replay->damaged));
    json_object_set_new(object, "cut_off", json_boolean(replay->cut_off));
    json_object_set_new(object, "lost", held_lost_json(&replay->held));
    json_object_set_new(object, "lacks", held_lacks_json(&replay->held));
    return object;
}
