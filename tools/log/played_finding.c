/* SPDX-License-Identifier: MIT */
#include "tools/log/played_finding.h"

#include "tools/log/log_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Evidence is every field that is not one of these. */
static bool is_evidence(const char *key)
{
    static const char *const others[] = {"type", "t",    "fit",  "id", "level",
                                         "gain", "text", "next", "by"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], key) == 0)
            return false;
    return true;
}

static enum sw_finding_level level_of(const json_t *line)
{
    const char *level = log_string(line, "level", "");
    return strcmp(level, "high") == 0     ? SW_FINDING_HIGH
           : strcmp(level, "medium") == 0 ? SW_FINDING_MEDIUM
                                          : SW_FINDING_NOTE;
}

static bool room_make(struct read_findings *findings, const json_t *lines)
{
    size_t i, evidence = 0, steps = 0;
    json_t *line, *value;
    const char *key;
    json_array_foreach(lines, i, line)
    {
        evidence += json_object_size(line);
        json_object_foreach(line, key, value) steps += json_array_size(value);
    }
    findings->finding = calloc(json_array_size(lines) + 1, sizeof *findings->finding);
    findings->evidence = calloc(evidence + 1, sizeof *findings->evidence);
    findings->step = calloc(steps + 1, sizeof *findings->step);
    return findings->finding && findings->evidence && findings->step;
}

/* In a log, NaN and the infinities are strings. */
static struct sw_evidence evidence_of(const char *name, const json_t *value, int64_t **step)
{
    struct sw_evidence evidence = {.name = name, .kind = SW_EVIDENCE_FLAG};
    size_t i;
    json_t *number;
    if (json_is_integer(value)) {
        evidence.kind = SW_EVIDENCE_COUNT;
        evidence.count = json_integer_value(value);
    } else if (json_is_array(value)) {
        evidence.kind = SW_EVIDENCE_STEPS;
        evidence.count = (int64_t)json_array_size(value);
        evidence.step = *step;
        json_array_foreach(value, i, number) * (*step)++ = json_integer_value(number);
    } else if (json_is_real(value) || (json_is_string(value) && log_number(value, 0) != 0)) {
        evidence.kind = SW_EVIDENCE_NUMBER;
        evidence.number = log_number(value, NAN);
    } else if (json_is_string(value)) {
        evidence.kind = SW_EVIDENCE_TEXT;
        evidence.text = json_string_value(value);
    }
    return evidence;
}

bool read_findings_init(struct read_findings *findings, const json_t *lines)
{
    size_t i;
    json_t *line, *value;
    const char *key;
    if (!room_make(findings, lines))
        return false;
    struct sw_evidence *evidence = findings->evidence;
    int64_t *step = findings->step;
    json_array_foreach(lines, i, line)
    {
        struct sw_finding finding = {.id = log_string(line, "id", ""),
                                     .level = level_of(line),
                                     .gain = log_number(json_object_get(line, "gain"), 0),
                                     .text = log_string(line, "text", ""),
                                     .next = log_string(line, "next", ""),
                                     .evidence_size = sizeof *evidence,
                                     .evidence = evidence};
        json_object_foreach(line, key, value) if (is_evidence(key)) *evidence++ =
            evidence_of(key, value, &step);
        finding.evidence_count = (size_t)(evidence - finding.evidence);
        findings->finding[findings->count++] = finding;
    }
    return true;
}

void read_findings_fini(struct read_findings *findings)
{
    free(findings->finding);
    free(findings->evidence);
    free(findings->step);
}
