/* SPDX-License-Identifier: MIT */
#include "tools/functions/exports.h"
#include "tools/functions/callgrind.h"
#include "tools/functions/folded_file.h"
#include "tools/functions/marshal.h"
#include "tools/functions/pprof.h"
#include "tools/functions/speedscope_file.h"

static bool export_prof(FILE *out, const struct tree *tree, const struct export *about)
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
