/* SPDX-License-Identifier: MIT */
#include "sinks/common/report_output.h"

#include "core/text/escape.h"
#include "core/text/parts.h"

#include <inttypes.h>
#include <string.h>

/* ---- one file for each fit ------------------------------------------------------------------- */

/* Adds the path of a program's n-th fit: out/report.md, then out/report-2.md. "-" stays. */
static void path_put(struct swi_text *text, const char *path, int fit)
{
    if (fit < 2 || strcmp(path, "-") == 0) {
        swi_text_put(text, path);
        return;
    }
    size_t stem = swi_stem_length(path);
    swi_text_add(text, path, stem);
    swi_text_format(text, "-%d%s", fit, path + stem);
}

int swi_fit_file_write(struct sw_sink *sink, const char *path, int fit, struct swi_text *text,
                       struct sw_error *err)
{
    struct swi_text of_fit = {0};
    path_put(&of_fit, path, fit);
    int rc = text->failed || of_fit.failed
                 ? sw_error_set(err, SW_ENOMEM, "%s: not enough memory for the table", path)
                 : sw_sink_replace(sink, of_fit.data, text->data, text->size, err);
    swi_text_free(&of_fit);
    swi_text_free(text);
    return rc;
}

/* ---- which rank writes ----------------------------------------------------------------------- */

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* An older core has no ranks. A replay has no other ranks. */
static bool has_ranks(const struct sw_run *run)
{
    return SW_HAS(run->size, run, rank_files) && run->world_size > 1 && !run->replayed;
}

static bool is_alone(const struct sw_run *run, const char *ranks)
{
    return run->rank_certain && strcmp(ranks, "all") != 0;
}

bool swi_is_left_to_first(const struct sw_run *run, const char *path, const char *ranks)
{
    return is_stdout(path) && has_ranks(run) && run->rank > 0 && is_alone(run, ranks);
}

static void others_add(struct swi_text *text, const struct sw_run *run)
{
    if (*run->rank_files) {
        swi_text_put(text, "; the others: ");
        swi_escape_terminal(text, run->rank_files);
    } else if (run->world_size == 2) {
        swi_text_put(text, "; of the other one nothing is kept: add runlog");
    } else {
        swi_text_format(text, "; of the other %" PRId64 " nothing is kept: add runlog",
                        run->world_size - 1);
    }
}

void swi_first_rank_note(struct swi_text *text, const struct sw_run *run, const char *path,
                         const char *ranks)
{
    if (!is_stdout(path) || !has_ranks(run))
        return;
    swi_text_format(text, "rank %" PRId64 " of %" PRId64, run->rank, run->world_size);
    if (is_alone(run, ranks))
        others_add(text, run);
    swi_text_put(text, "\n");
}
