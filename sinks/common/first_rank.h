/* SPDX-License-Identifier: MIT */
/* first_rank.h - lets only the first rank of a distributed run write to standard output. */
#ifndef SINKS_COMMON_FIRST_RANK_H
#define SINKS_COMMON_FIRST_RANK_H

#include "core/text/buffer.h"

#include <stepwatch/sink.h>

#include <stdbool.h>

/* The option `ranks` of a sink. Its state needs a field of that name. */
#define SWI_RANKS_OPTION(state)                                                                    \
    {                                                                                              \
        .name = "ranks", .type = SW_OPTION_CHOICE, .offset = offsetof(state, ranks),               \
        .fallback = "first", .choices = "first|all",                                               \
        .help = "which processes of a distributed program write to stdout; all of them write "     \
                "their files"                                                                      \
    }

/* Returns whether this process leaves a path to rank 0: the path is "-", unless ranks is "all" or
 * it is not certain which rank this is. */
bool swi_is_left_to_first(const struct sw_run *run, const char *path, const char *ranks);

/* Adds the line below a table on standard output that says which rank it shows and where the
 * results of the others are. Adds nothing for a run of one process. */
void swi_first_rank_note(struct swi_text *text, const struct sw_run *run, const char *path,
                         const char *ranks);

#endif
