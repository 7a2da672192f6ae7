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

static enum sw_finding_level level_of(const struct log_value *line)
{
    const char *level = log_string(line, "level", "");
    return strcmp(level, "high") == 0     ? SW_FINDING_HIGH
           : strcmp(level, "medium") == 0 ? SW_FINDING_MEDIUM
                                          : SW_FINDING_NOTE;
}

static bool room_make(struct read_findings *findings, const struct kept_lines *lines)
{
    size_t evidence = 0, steps = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const struct log_value *line = lines->line[i];
        evidence += line->size;
        for (const struct log_value *key = log_first_key(line); key; key = log_next_key(line, key))
            steps += log_is(key + 1, LOG_ARRAY) ? key[1].size : 0;
    }
    findings->finding = calloc(lines->count + 1, sizeof *findings->finding);
    findings->evidence = calloc(evidence + 1, sizeof *findings->evidence);
    findings->step = calloc(steps + 1, sizeof *findings->step);
    return findings->finding && findings->evidence && findings->step;
}

/* In a log, NaN and the infinities are strings. */
static struct sw_evidence evidence_of(const char *name, const struct log_value *value,
                                      int64_t **step)
{
    struct sw_evidence evidence = {.name = name, .kind = SW_EVIDENCE_FLAG};
    if (log_is(value, LOG_INTEGER)) {
        evidence.kind = SW_EVIDENCE_COUNT;
        evidence.count = log_whole(value);
    } else if (log_is(value, LOG_ARRAY)) {
        evidence.kind = SW_EVIDENCE_STEPS;
        evidence.count = (int64_t)log_count(value);
        evidence.step = *step;
        for (const struct log_value *v = log_first(value); v; v = log_after(value, v))
            *(*step)++ = log_whole(v);
    } else if (log_is(value, LOG_REAL) ||
               (log_is(value, LOG_STRING) && log_number(value, 0) != 0)) {
        evidence.kind = SW_EVIDENCE_NUMBER;
        evidence.number = log_number(value, NAN);
    } else if (log_is(value, LOG_STRING)) {
        evidence.kind = SW_EVIDENCE_TEXT;
        evidence.text = log_text(value);
    }
    return evidence;
}

bool read_findings_init(struct read_findings *findings, const struct kept_lines *lines)
{
    if (!room_make(findings, lines))
        return false;
    struct sw_evidence *evidence = findings->evidence;
    int64_t *step = findings->step;
    for (size_t i = 0; i < lines->count; i++) {
        const struct log_value *line = lines->line[i];
        struct sw_finding finding = {.id = log_string(line, "id", ""),
                                     .level = level_of(line),
                                     .gain = log_number(log_get(line, "gain"), 0),
                                     .text = log_string(line, "text", ""),
                                     .next = log_string(line, "next", ""),
                                     .evidence_size = sizeof *evidence,
                                     .evidence = evidence};
        for (const struct log_value *key = log_first_key(line); key; key = log_next_key(line, key))
            if (is_evidence(key->text))
                *evidence++ = evidence_of(key->text, key + 1, &step);
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
