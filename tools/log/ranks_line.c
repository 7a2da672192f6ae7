/* SPDX-License-Identifier: MIT */
#include "tools/log/ranks_line.h"
#include "tools/log/log_lines.h"

#include <stepwatch/stepwatch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(const struct log_value *object, const char *key)
{
    return log_number(log_get(object, key), NAN);
}

static struct sw_ranks_row row_of(const struct log_value *line)
{
    struct sw_ranks_row row = {.phase = log_string(line, "phase", "fit"),
                               .action = log_string(line, "action", ""),
                               .ranks = log_integer(line, "ranks", 0),
                               .calls = log_integer(line, "calls", 0),
                               .min_ns = number(line, "min_ns"),
                               .min_rank = log_integer(line, "min_rank", 0),
                               .mean_ns = number(line, "mean_ns"),
                               .max_ns = number(line, "max_ns"),
                               .max_rank = log_integer(line, "max_rank", 0),
                               .imbalance = number(line, "imbalance"),
                               .call_mean_ns = number(line, "call_mean_ns"),
                               .call_std_ns = number(line, "call_std_ns"),
                               .p50_ns = number(line, "p50_ns"),
                               .p95_ns = number(line, "p95_ns"),
                               .p99_ns = number(line, "p99_ns")};
    row.phase_id = log_phase(line) < 0 ? SW_PHASE_FIT : (enum sw_phase)log_phase(line);
    row.action_id = sw_action(row.action);
    return row;
}

/* The texts are borrowed from the line. */
static struct sw_ranks ranks_of(const struct log_value *line)
{
    const struct log_value *found = log_get(line, "straggler");
    return (struct sw_ranks){.size = sizeof(struct sw_ranks),
                             .world_size = log_integer(line, "world_size", 0),
                             .ranks = log_integer(line, "ranks", 0),
                             .fit = (int)log_integer(line, "fit", 1),
                             .complete = log_true(line, "complete"),
                             .epoch = log_integer(line, "epochs", 0),
                             .step = log_integer(line, "step", 0),
                             .steps = log_integer(line, "steps", 0),
                             .block = log_integer(line, "steps_in_a_block", 1),
                             .took_ns = log_integer(line, "took_ns", 0),
                             .lost = number(line, "lost"),
                             .communication = number(line, "communication"),
                             .verdict = log_string(found, "verdict", NULL),
                             .why = log_string(found, "why", NULL),
                             .sentence = log_string(found, "sentence", NULL),
                             .slow_rank = log_integer(found, "rank", -1),
                             .slow_host = log_string(found, "host", NULL),
                             .slow_action = log_string(found, "phase", NULL),
                             .late_ns = number(found, "late_ns"),
                             .gain = number(found, "gain"),
                             .confidence = number(found, "confidence")};
}

int ranks_line_play(struct sw_profiler *sw, const struct log_value *line, struct sw_error *err)
{
    const struct log_value *rows = log_get(line, "rows");
    if (!log_is(rows, LOG_ARRAY))
        return sw_error_set(err, SW_EFORMAT, "\"ranks\" without rows");
    struct sw_ranks ranks = ranks_of(line);
    struct sw_ranks_row *row = calloc(log_count(rows) + 1, sizeof *row);
    if (!row)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the report of all ranks");
    for (size_t i = 0; i < log_count(rows); i++)
        row[i] = row_of(log_at(rows, i));
    ranks.row = row;
    ranks.row_size = sizeof *row;
    ranks.count = log_count(rows);
    int rc = sw_log_ranks(sw, &ranks, err);
    free(row);
    return rc;
}
