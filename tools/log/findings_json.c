/* SPDX-License-Identifier: MIT */
#include "tools/log/findings_json.h"

#include "tools/output/text.h"

#include <string.h>

static json_t *steps_json(const struct sw_evidence *evidence)
{
    json_t *steps = json_array();
    for (int64_t i = 0; i < evidence->count; i++)
        json_array_append_new(steps, json_integer(evidence->step[i]));
    return steps;
}

/* The evidence that the schemas document. A log of another version may have more, or have it of
 * another kind: that is left out. */
enum { NUMBER = 1, COUNT = 2, TEXT = 4, STEPS = 8 };
static const struct documented {
    const char *name;
    int kinds;
} documented[] = {
    {"action", TEXT},          {"between_steps", NUMBER},
    {"change", NUMBER},        {"confidence", NUMBER},
    {"cost_ns", NUMBER},       {"count", COUNT},
    {"each_ns", NUMBER},       {"epochs", COUNT},
    {"fast_ns", NUMBER},       {"fast_part", NUMBER},
    {"formula", TEXT},         {"high", NUMBER},
    {"hits", COUNT},           {"host", TEXT},
    {"late_ns", NUMBER},       {"low", NUMBER},
    {"metric", TEXT},          {"period", COUNT},
    {"rank", COUNT},           {"share", NUMBER},
    {"share_typical", NUMBER}, {"size", COUNT},
    {"slow_ns", NUMBER},       {"small", COUNT},
    {"step", COUNT},           {"step_ns", NUMBER},
    {"steps", COUNT | STEPS},  {"verdict", TEXT},
    {"waited_ns", NUMBER},     {"z", NUMBER},
};

static bool is_documented(const struct sw_evidence *evidence)
{
    int kind = evidence->kind == SW_EVIDENCE_NUMBER  ? NUMBER
               : evidence->kind == SW_EVIDENCE_COUNT ? COUNT | NUMBER
               : evidence->kind == SW_EVIDENCE_TEXT  ? TEXT
               : evidence->kind == SW_EVIDENCE_STEPS ? STEPS
                                                     : 0;
    for (size_t i = 0; i < sizeof documented / sizeof *documented; i++)
        if (strcmp(documented[i].name, evidence->name) == 0)
            return documented[i].kinds & kind;
    return false;
}

static json_t *evidence_json(const struct sw_evidence *evidence)
{
    switch (evidence->kind) {
    case SW_EVIDENCE_NUMBER:
        return text_json_number(evidence->number);
    case SW_EVIDENCE_COUNT:
        return json_integer(evidence->count);
    case SW_EVIDENCE_TEXT:
        return text_json(evidence->text);
    case SW_EVIDENCE_STEPS:
        return steps_json(evidence);
    default:
        return json_true();
    }
}

json_t *finding_json(const struct sw_finding *finding)
{
    json_t *object = json_object();
    json_object_set_new(object, "id", text_json(finding->id));
    json_object_set_new(object, "level", json_string(swi_level_name(finding->level)));
    json_object_set_new(object, "gain", text_json_number(finding->gain));
    json_object_set_new(object, "text", text_json(finding->text));
    json_object_set_new(object, "next", text_json(finding->next));
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct sw_evidence *evidence = sw_finding_evidence(finding, i);
        if (!is_documented(evidence))
            continue;
        json_object_set_new(object, evidence->name, evidence_json(evidence));
    }
    if (finding->formula)
        json_object_set_new(object, "formula", json_string(finding->formula));
    return object;
}

json_t *findings_json(const struct swi_advice *advice)
{
    json_t *list = json_array();
    for (size_t i = 0; i < advice->count; i++)
        json_array_append_new(list, finding_json(&advice->finding[i]));
    return list;
}
