/* SPDX-License-Identifier: MIT */
/* option_rows.h - rows of a sink's table of options. */
#ifndef SINKS_COMMON_OPTION_ROWS_H
#define SINKS_COMMON_OPTION_ROWS_H

#include <stepwatch/sink.h>

#include <stddef.h>

/* A row of the table: SWI_OPTION(PATH, struct csv, path, "file to write", .fallback = "-"). The
 * option has the name of the field of the sink's state. The help comes first of what follows. */
#define SWI_OPTION(kind, state, field, ...)                                                        \
    SWI_OPTION_NAMED(#field, kind, state, field, __VA_ARGS__)

/* The same under another name than that of the field. */
#define SWI_OPTION_NAMED(text, kind, state, field, ...)                                            \
    {                                                                                              \
        .name = (text), .type = SW_OPTION_##kind, .offset = offsetof(state, field),                \
        .help = __VA_ARGS__                                                                        \
    }

#endif
