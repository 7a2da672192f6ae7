/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/finding_line.h"
#include "sinks/common/runlog/line_fields.h"

static void steps_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    for (int64_t i = 0; i < evidence->count; i++) {
        swi_text_put(text, i ? "," : "[");
        swi_text_integer(text, evidence->step[i]);
    }
    swi_text_put(text, evidence->count ? "]" : "[]");
}

static void evidence_add(struct swi_text *text, const struct sw_evidence *evidence)
{
    swi_field_key(text, evidence->name);
    if (evidence->kind == SW_EVIDENCE_NUMBER)
        swi_number_json(text, evidence->number);
    else if (evidence->kind == SW_EVIDENCE_COUNT)
        swi_text_integer(text, evidence->count);
    else if (evidence->kind == SW_EVIDENCE_TEXT)
        swi_escape_json(text, evidence->text);
    else if (evidence->kind == SW_EVIDENCE_STEPS)
        steps_add(text, evidence);
    else
        swi_text_put(text, "true");
}

void swi_finding_line(struct swi_text *text, const struct sw_record *record, int fit,
                      const struct sw_finding *finding)
{
    static const char *const levels[] = {"note", "medium", "high"};
    swi_line_begin_at(text, "finding", record->time_ns);
    swi_field_integer(text, "fit", fit);
    swi_field_string(text, "id", finding->id);
    swi_field_string(text, "level", levels[finding->level]);
    swi_field_number(text, "gain", finding->gain);
    swi_field_string(text, "text", finding->text);
    swi_field_string(text, "next", finding->next);
    for (size_t i = 0; i < finding->evidence_count; i++)
        evidence_add(text, sw_finding_evidence(finding, i));
    swi_field_by_profiler(text);
    swi_line_end(text);
}
