/* SPDX-License-Identifier: MIT */
/* values_section.h - the section Values: alerts, the summary, tables and texts. */
#ifndef SINKS_MARKDOWN_VALUES_SECTION_H
#define SINKS_MARKDOWN_VALUES_SECTION_H

#include "core/text/buffer.h"
#include "core/text/map.h"

#include <stepwatch/sink.h>

/* A value that is shown: the newest of its name. */
struct shown_value {
    struct swi_text text; /* Markdown */
    int64_t step;
};

struct shown_values {
    struct swi_map names;
    struct shown_value *item; /* by the number of the name */
};

/* Initialise it as {0}. */
struct values_section {
    struct shown_values summary, tables, texts;
    struct swi_text alerts; /* rows of their table */
    size_t alert_count;
    int fit;   /* that they belong to */
    bool news; /* something came after the section was written */
    bool failed;
};

/* Takes a record of a value, the summary or an alert; others are ignored. Tables, texts and alerts
 * of an earlier fit are forgotten. */
void values_section_take(struct values_section *section, const struct sw_record *record);

/* Adds the section to a text, if there is anything to show. */
void values_section_add(struct swi_text *text, struct values_section *section);

void values_section_fini(struct values_section *section);

#endif
