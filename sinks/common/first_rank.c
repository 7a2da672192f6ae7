/* SPDX-License-Identifier: MIT */
#include "sinks/common/first_rank.h"
#include "core/text/escape.h"

#include <inttypes.h>
#include <string.h>

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
