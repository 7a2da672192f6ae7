/* SPDX-License-Identifier: MIT */
#include "sinks/common/runlog/all_ranks_line.h"
#include "sinks/common/runlog/finding_line.h"
#include "sinks/common/runlog/line_fields.h"

#include <math.h>

/* Adds a name, or null. */
static void name_add(struct swi_text *text, const char *key, const char *name)
{
    if (name) {
        swi_field_string(text, key, name);
        return;
    }
    swi_field_key(text, key);
    swi_text_put(text, "null");
}

static void culprit_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (ranks->slow_rank >= 0)
        swi_field_integer(text, "rank", ranks->slow_rank);
    name_add(text, "host", ranks->slow_host);
    name_add(text, "phase", ranks->slow_action);
    swi_field_number(text, "late_ns", ranks->late_ns);
    swi_field_number(text, "gain", ranks->gain);
    swi_field_number(text, "confidence", ranks->confidence);
}

static void straggler_add(struct swi_text *text, const struct sw_ranks *ranks)
{
    if (!ranks->verdict)
        return;
    swi_field_key(text, "straggler");
    swi_text_put(text, "{\"verdict\":");
    swi_escape_json(text, ranks->verdict);
    if (ranks->why)
        swi_field_string(text, "why", ranks->why);
    if (isfinite(ranks->gain))
        culprit_add(text, ranks);
    if (ranks->sentence)
        swi_field_string(text, "sentence", ranks->sentence);
    swi_text_put(text, "}");
}

static void ranks_row_add(struct swi_text *text, const struct sw_ranks_row *row)
{
    swi_text_put(text, "{\"phase\":");
    swi_escape_json(text, row->phase);
    swi_field_string(text, "action", row->action);
    swi_field_integer(text, "ranks", row->ranks);
    swi_field_integer(text, "calls", row->calls);
    swi_field_number(text, "min_ns", row->min_ns);
    swi_field_integer(text, "min_rank", row->min_rank);
    swi_field_number(text, "mean_ns", row->mean_ns);
    swi_field_number(text, "max_ns", row->max_ns);
    swi_field_integer(text, "max_rank", row->max_rank);
    swi_field_number(text, "imbalance", row->imbalance);
    swi_field_number(text, "call_mean_ns", row->call_mean_ns);
    swi_field_number(text, "call_std_ns", row->call_std_ns);
    swi_field_number(text, "p50_ns", row->p50_ns);
    swi_field_number(text, "p95_ns", row->p95_ns);
    swi_field_number(text, "p99_ns", row->p99_ns);
    swi_text_put(text, "}");
}

void swi_all_ranks_line(struct swi_text *text, const struct sw_record *record)
{
    const struct sw_ranks *ranks = record->ranks;
    bool known = SW_HAS(ranks->size, ranks, finding) && ranks->complete;
    for (size_t i = 0; known && i < ranks->finding_count; i++)
        swi_finding_line(text, record, ranks->fit, sw_ranks_finding(ranks, i));
    swi_line_begin_at(text, "ranks", record->time_ns);
    swi_field_integer(text, "fit", ranks->fit);
    swi_field_bool(text, "complete", ranks->complete);
    swi_field_integer(text, "epochs", ranks->epoch);
    swi_field_integer(text, "step", ranks->step);
    swi_field_integer(text, "world_size", ranks->world_size);
    swi_field_integer(text, "ranks", ranks->ranks);
    swi_field_integer(text, "steps", ranks->steps);
    swi_field_integer(text, "steps_in_a_block", ranks->block);
    swi_field_integer(text, "took_ns", ranks->took_ns);
    swi_field_number(text, "lost", ranks->lost);
    swi_field_number(text, "communication", ranks->communication);
    straggler_add(text, ranks);
    swi_field_key(text, "rows");
    for (size_t i = 0; i < ranks->count; i++) {
        swi_text_put(text, i ? "," : "[");
        ranks_row_add(text, sw_ranks_row_at(ranks, i));
    }
    swi_text_put(text, ranks->count ? "]" : "[]");
    swi_line_end(text);
}
