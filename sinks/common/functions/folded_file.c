/* SPDX-License-Identifier: MIT */
/* Folded stacks in nanoseconds, "main;epoch;forward 12345", for flamegraph.pl and others. */
#include "core/text/escape.h"
#include "sinks/common/functions/folded_file.h"
#include "sinks/common/functions/stacks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct folded_line {
    char *stack;
    int64_t ns;
};

struct folded_lines {
    const struct tree *tree;
    struct folded_line *line;
    size_t count;
    bool failed;
};

static void take(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls)
{
    struct folded_lines *lines = arg;
    struct swi_text text = {0};
    (void)calls;
    for (size_t i = 0; i < depth; i++) {
        size_t size;
        const char *name = stacks_name(lines->tree, function[i], &size);
        if (i)
            swi_text_put(&text, ";");
        swi_escape_frame(&text, name, size);
    }
    if (!(lines->count & (lines->count - 1))) {
        size_t room = lines->count ? 2 * lines->count : 1;
        struct folded_line *grown = realloc(lines->line, room * sizeof *grown);
        lines->line = grown ? grown : lines->line;
        lines->failed |= !grown;
    }
    if (lines->failed || text.failed || !text.data) {
        lines->failed = true;
        swi_text_free(&text);
        return;
    }
    lines->line[lines->count++] = (struct folded_line){text.data, ns};
}

static int lines_compare(const void *a, const void *b)
{
    const struct folded_line *x = a, *y = b;
    return strcmp(x->stack, y->stack);
}

/* Functions with the same name are merged here. */
bool export_folded(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    struct folded_lines lines = {.tree = tree};
    (void)about;
    bool fine = stacks_each(tree, take, &lines) && !lines.failed;
    if (lines.count)
        qsort(lines.line, lines.count, sizeof *lines.line, lines_compare);
    for (size_t i = 0; i < lines.count; i++) {
        bool same =
            i + 1 < lines.count && strcmp(lines.line[i].stack, lines.line[i + 1].stack) == 0;
        if (same)
            lines.line[i + 1].ns += lines.line[i].ns;
        else
            fprintf(out, "%s %" PRId64 "\n", lines.line[i].stack, lines.line[i].ns);
    }
    for (size_t i = 0; i < lines.count; i++)
        free(lines.line[i].stack);
    free(lines.line);
    return fine;
}
