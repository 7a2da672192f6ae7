/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/export_formats.h"
#include "sinks/common/functions/callgrind.h"
#include "sinks/common/functions/folded_file.h"
#include "sinks/common/functions/marshal.h"
#include "sinks/common/functions/pprof.h"
#include "sinks/common/functions/speedscope_file.h"

#include <string.h>

static bool export_prof(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    (void)about;
    marshal_write(out, &tree->stats);
    return true;
}

const struct export_format export_formats[] = {
    {"prof", ".prof", export_prof},
    {"folded", ".folded", export_folded},
    {"speedscope", ".speedscope.json", export_speedscope},
    {"callgrind", ".callgrind", export_callgrind},
    {"pprof", ".pb.gz", export_pprof},
    {NULL, NULL, NULL},
};

const struct export_format *export_format_find(const char *name)
{
    const struct export_format *format = export_formats;
    while (format->name && strcmp(format->name, name) != 0)
        format++;
    return format->name ? format : NULL;
}
