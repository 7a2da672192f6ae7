/* SPDX-License-Identifier: MIT */
#include "tools/functions/functions_json.h"

#include "tools/output/text.h"

static json_t *function_json(const struct function *function, const struct counts *counts)
{
    return json_pack("{s:o, s:I, s:o, s:I, s:I, s:o, s:o}", "file", text_json(function->file),
                     "line", (json_int_t)function->line, "name", text_json(function->name), "calls",
                     (json_int_t)counts->nc, "primitive_calls", (json_int_t)counts->cc, "self_s",
                     text_json_number(counts->tt), "total_s", text_json_number(counts->ct));
}

static json_t *callers_json(const struct stats *stats, const struct function *function)
{
    json_t *list = json_array();
    for (size_t i = 0; i < function->caller_count; i++)
        json_array_append_new(list, function_json(&stats->function[function->callers[i].caller],
                                                  &function->callers[i].counts));
    return list;
}

static json_t *callees_json(const struct stats *stats, size_t number)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stats->count; i++)
        for (size_t k = 0; k < stats->function[i].caller_count; k++)
            if (stats->function[i].callers[k].caller == number)
                json_array_append_new(list, function_json(&stats->function[i],
                                                          &stats->function[i].callers[k].counts));
    return list;
}

static json_t *row_json(const struct stats *stats, const struct pstats_row *row,
                        const struct pstats *how)
{
    json_t *object = function_json(row->function, &row->function->counts);
    if (how->view == PSTATS_CALLERS)
        json_object_set_new(object, "callers", callers_json(stats, row->function));
    if (how->view == PSTATS_CALLEES)
        json_object_set_new(object, "callees", callees_json(stats, row->number));
    return object;
}

json_t *functions_json(const char *action, const struct stats *stats, const struct pstats *how)
{
    struct swi_text said = {0};
    struct counts all = {0};
    size_t count = stats->count;
    struct pstats_row *rows = pstats_rows_new(stats);
    if (!rows)
        return NULL;
    json_t *list = json_array();
    pstats_sort(rows, count, how);
    for (int i = 0; how->restrict_to[i]; i++)
        count = pstats_restrict(rows, count, how->restrict_to[i], &said);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, row_json(stats, &rows[i], how));
    for (size_t i = 0; i < stats->count; i++)
        counts_add(&all, &stats->function[i].counts);
    pstats_rows_free(rows, stats->count);
    swi_text_free(&said);
    return json_pack("{s:o, s:I, s:I, s:o, s:o}", "action",
                     action ? text_json(action) : json_null(), "calls",
                     (json_int_t)(how->sampled ? how->samples : all.nc), "primitive_calls",
                     (json_int_t)(how->sampled ? how->samples : all.cc), "self_s",
                     text_json_number(all.tt), "functions", list);
}

json_t *summary_json(const struct profile_source *source)
{
    static const char *const names[] = {"off", "exact", "sampled", "sample"};
    const struct profile *profile = &source->profile;
    if (source->is_prof)
        return json_pack("{s:o, s:s, s:s, s:n}", "path", text_json(source->path), "times",
                         "cprofile", "counts", "calls", "program");
    const char *times = profile->times > FN_SAMPLE ? "unknown" : names[profile->times];
    return json_pack("{s:o, s:s, s:s, s:o, s:I, s:b, s:o, s:I, s:I, s:b, s:b}", "path",
                     text_json(source->path), "times", profile->wall ? "wall" : times, "counts",
                     profile->times == FN_SAMPLE ? "samples" : "calls", "program",
                     profile->program ? text_json(profile->program) : json_null(), "rate_hz",
                     (json_int_t)profile->rate, "complete", profile->complete, "hooks_ns",
                     text_json_number(profile->hooks_ns), "lost", (json_int_t)profile->lost,
                     "unmatched_returns", (json_int_t)profile->unmatched, "contexts_full",
                     profile->full, "file_cut", profile->short_of != 0);
}
