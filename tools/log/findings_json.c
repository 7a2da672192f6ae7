/* SPDX-License-Identifier: MIT */
#include "tools/log/findings_json.h"

#include "tools/output/text.h"

static json_t *steps_json(const struct sw_evidence *evidence)
{
    json_t *steps = json_array();
    for (int64_t i = 0; i < evidence->count; i++)
        json_array_append_new(steps, json_integer(evidence->step[i]));
    return steps;
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
    json_object_set_new(object, "id", json_string(finding->id));
    json_object_set_new(object, "level", json_string(swi_level_name(finding->level)));
    json_object_set_new(object, "gain", text_json_number(finding->gain));
    json_object_set_new(object, "text", text_json(finding->text));
    json_object_set_new(object, "next", text_json(finding->next));
    for (size_t i = 0; i < finding->evidence_count; i++) {
        const struct sw_evidence *evidence = sw_finding_evidence(finding, i);
        json_object_set_new(object, evidence->name, evidence_json(evidence));
    }
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
