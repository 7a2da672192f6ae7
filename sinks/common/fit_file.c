/* SPDX-License-Identifier: MIT */
#include "sinks/common/fit_file.h"

#include <string.h>

/* Returns the length of the path without its extension. A leading dot does not begin an extension.
 */
static size_t stem_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

/* Adds the path of a program's n-th fit: out/report.md, then out/report-2.md. "-" stays. */
static void path_put(struct swi_text *text, const char *path, int fit)
{
    if (fit < 2 || strcmp(path, "-") == 0) {
        swi_text_put(text, path);
        return;
    }
    size_t stem = stem_length(path);
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
