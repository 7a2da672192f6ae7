/* SPDX-License-Identifier: MIT */
#include "core/plugins/rank_in_path.h"
#include "core/plugins/placeholder_text.h"

#include <inttypes.h>
#include <string.h>

/* Adds "3", or "3-HOST-PID" if another process may believe that it
 * has the same rank. */
static void rank_put(struct swi_text *out, const struct sw_run *run, bool pattern)
{
    if (pattern) {
        swi_text_put(out, "*");
        return;
    }
    swi_text_integer(out, run->rank);
    if (run->rank_certain)
        return;
    swi_text_put(out, "-");
    swi_placeholder_name(out, run->host);
    swi_text_format(out, "-%" PRId64, run->pid);
}

static bool name_ends(const char *name, size_t size, const char *end)
{
    size_t length = strlen(end);
    return size > length && memcmp(name + size - length, end, length) == 0;
}

/* Returns the length of a file's name without its extension. Programs that read a file know it by
 * all parts of .json.gz or .pt.trace.json. A leading dot does not begin an extension. */
static size_t stem_of(const char *name)
{
    size_t size = strlen(name);
    size_t plain = name_ends(name, size, ".gz") ? size - strlen(".gz") : size;
    if (name_ends(name, plain, ".pt.trace.json"))
        return plain - strlen(".pt.trace.json");
    const char *dot = memrchr(name, '.', plain);
    return dot && dot != name ? (size_t)(dot - name) : plain;
}

void swi_rank_in_path(struct swi_text *out, const char *path, const struct sw_run *run,
                      bool pattern)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t stem = (size_t)(name - path) + stem_of(name);
    swi_text_add(out, path, stem);
    swi_text_put(out, ".");
    rank_put(out, run, pattern);
    swi_text_put(out, path + stem);
}

void swi_rank_folder(struct swi_text *out, const char *path, const struct sw_run *run)
{
    swi_text_put(out, path);
    swi_text_put(out, "/rank_");
    rank_put(out, run, false);
}
