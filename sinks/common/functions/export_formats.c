/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/export_formats.h"

#include "core/text/escape.h"
#include "core/text/folded.h"
#include "sinks/common/functions/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the file format of callgrind ------------------------------------------------------------ */

/* For callgrind_annotate, kcachegrind and qcachegrind. */

struct callgrind_writing {
    FILE *out;
    const struct tree *tree;
    uint32_t *file_of;  /* number of a function's file, from 1 */
    bool *file_written; /* by number */
    bool *function_written;
};

static int64_t ns_of(double seconds)
{
    return seconds > 0 ? llround(seconds * 1e9) : 0;
}

/* Functions in the same file have the same number: that of the first of them. */
static void files_number(struct callgrind_writing *writing)
{
    const struct stats *stats = &writing->tree->stats;
    for (size_t i = 0; i < stats->count; i++) {
        size_t k = 0;
        while (strcmp(stats->function[k].file, stats->function[i].file) != 0)
            k++;
        writing->file_of[i] = (uint32_t)k + 1;
    }
}

/* A line break would end the name, so it is replaced. */
static void plain_put(FILE *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        putc(text[i] == '\n' || text[i] == '\r' ? '_' : text[i], out);
}

static void file_put(struct callgrind_writing *writing, const char *key, size_t i)
{
    uint32_t number = writing->file_of[i];
    const char *file = writing->tree->stats.function[i].file;
    fprintf(writing->out, "%s=(%" PRIu32 ")", key, number);
    if (!writing->file_written[number]) {
        file = strcmp(file, "~") == 0 ? "???" : file;
        putc(' ', writing->out);
        plain_put(writing->out, file, strlen(file));
    }
    writing->file_written[number] = true;
    putc('\n', writing->out);
}

static void function_put(struct callgrind_writing *writing, const char *key, size_t i)
{
    size_t size;
    const char *name = stacks_name(writing->tree, i, &size);
    fprintf(writing->out, "%s=(%zu)", key, i + 1);
    if (!writing->function_written[i]) {
        putc(' ', writing->out);
        plain_put(writing->out, name, size);
    }
    writing->function_written[i] = true;
    putc('\n', writing->out);
}

static void callee_put(struct callgrind_writing *writing, size_t i, size_t callee,
                       const struct counts *counts)
{
    const struct function *f = &writing->tree->stats.function[i];
    const struct function *g = &writing->tree->stats.function[callee];
    if (writing->file_of[i] != writing->file_of[callee])
        file_put(writing, "cfi", callee);
    function_put(writing, "cfn", callee);
    fprintf(writing->out, "calls=%" PRId64 " %" PRId64 "\n%" PRId64 " %" PRId64 "\n", counts->nc,
            g->line, f->line, ns_of(counts->ct));
}

/* The callees of each function, because the stats have only callers. */
struct callee {
    size_t caller, callee;
    const struct counts *counts;
};

static int callees_compare(const void *a, const void *b)
{
    const struct callee *x = a, *y = b;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static struct callee *callees_make(const struct stats *stats, size_t *count)
{
    size_t edges = 0;
    for (size_t i = 0; i < stats->count; i++)
        edges += stats->function[i].caller_count;
    struct callee *callees = calloc(edges + 1, sizeof *callees);
    *count = 0;
    for (size_t i = 0; callees && i < stats->count; i++)
        for (size_t k = 0; k < stats->function[i].caller_count; k++)
            callees[(*count)++] = (struct callee){stats->function[i].callers[k].caller, i,
                                                  &stats->function[i].callers[k].counts};
    if (*count)
        qsort(callees, *count, sizeof *callees, callees_compare);
    return callees;
}

static void functions_put(struct callgrind_writing *writing, const struct callee *callees,
                          size_t count)
{
    const struct stats *stats = &writing->tree->stats;
    size_t at = 0;
    for (size_t i = 0; i < stats->count; i++) {
        const struct function *f = &stats->function[i];
        putc('\n', writing->out);
        file_put(writing, "fl", i);
        function_put(writing, "fn", i);
        fprintf(writing->out, "%" PRId64 " %" PRId64 "\n", f->line, ns_of(f->counts.tt));
        for (; at < count && callees[at].caller == i; at++)
            callee_put(writing, i, callees[at].callee, callees[at].counts);
    }
}

static void head_put(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    int64_t total = 0;
    for (size_t i = 0; i < tree->stats.count; i++)
        total += ns_of(tree->stats.function[i].counts.tt);
    fputs("# callgrind format\nversion: 1\ncreator: stepwatch\ncmd: ", out);
    plain_put(out, about->program, strlen(about->program));
    fprintf(out, "\npositions: line\nevent: ns : Nanoseconds\nevents: ns\nsummary: %" PRId64 "\n",
            total);
}

/* Writes a tree. Returns false if out of memory. */
static bool export_callgrind(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    size_t count = tree->stats.count, edges;
    struct callee *callees = callees_make(&tree->stats, &edges);
    struct callgrind_writing writing = {.out = out,
                                        .tree = tree,
                                        .file_of = calloc(count + 1, sizeof(uint32_t)),
                                        .file_written = calloc(count + 2, sizeof(bool)),
                                        .function_written = calloc(count + 1, sizeof(bool))};
    bool fine = callees && writing.file_of && writing.file_written && writing.function_written;
    if (fine) {
        files_number(&writing);
        head_put(out, tree, about);
        functions_put(&writing, callees, edges);
    }
    free(callees);
    free(writing.file_of);
    free(writing.file_written);
    free(writing.function_written);
    return fine;
}

/* ---- the file format of speedscope.app ------------------------------------------------------- */

/* One "sampled" profile whose weights are nanoseconds. */

struct speedscope_writing {
    const struct tree *tree;
    struct swi_text samples, weights;
    int64_t total;
};

static void json_name(struct swi_text *text, const char *name, size_t size)
{
    char *copy = strndup(name, size);
    text->failed |= !copy;
    if (copy)
        swi_escape_json(text, copy);
    free(copy);
}

/* The frames are the functions, followed by one for contexts beyond the tree. */
static void sample_add(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls)
{
    struct speedscope_writing *writing = arg;
    bool first = !writing->samples.size;
    (void)calls;
    swi_text_put(&writing->samples, first ? "[" : ",[");
    for (size_t i = 0; i < depth; i++) {
        size_t frame = function[i] == STACKS_MORE ? writing->tree->stats.count : function[i];
        if (i)
            swi_text_put(&writing->samples, ",");
        swi_text_integer(&writing->samples, (int64_t)frame);
    }
    swi_text_put(&writing->samples, "]");
    if (!first)
        swi_text_put(&writing->weights, ",");
    swi_text_integer(&writing->weights, ns);
    writing->total += ns;
}

static void frames_put(struct swi_text *out, const struct tree *tree)
{
    for (size_t i = 0; i <= tree->stats.count; i++) {
        size_t size;
        const char *name = stacks_name(tree, i < tree->stats.count ? i : STACKS_MORE, &size);
        swi_text_put(out, i ? ",\n{\"name\":" : "{\"name\":");
        json_name(out, name, size);
        const struct function *f = i < tree->stats.count ? &tree->stats.function[i] : NULL;
        if (f && strcmp(f->file, "~") != 0)
            swi_json_format(out, ",\"file\":%s", f->file);
        if (f && f->line > 0)
            swi_json_format(out, ",\"line\":%" PRId64, f->line);
        swi_text_put(out, "}");
    }
}

static void all_put(struct swi_text *out, const struct speedscope_writing *writing,
                    const struct exported_run *about)
{
    swi_text_put(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
                      "\"shared\":{\"frames\":[\n");
    frames_put(out, writing->tree);
    swi_json_format(out,
                    "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":%s,\"unit\":\"nanoseconds\","
                    "\"startValue\":0,\"endValue\":%" PRId64 ",\n\"samples\":[",
                    about->name, writing->total);
    swi_text_add(out, writing->samples.data ? writing->samples.data : "", writing->samples.size);
    swi_text_put(out, "],\n\"weights\":[");
    swi_text_add(out, writing->weights.data ? writing->weights.data : "", writing->weights.size);
    swi_json_format(out, "]}],\n\"name\":%s,\"activeProfileIndex\":0,\"exporter\":\"stepwatch\"}\n",
                    about->program);
}

/* Writes a tree. Returns false if out of memory. */
static bool export_speedscope(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    struct speedscope_writing writing = {.tree = tree};
    struct swi_text text = {0};
    bool fine = stacks_each(tree, sample_add, &writing);
    all_put(&text, &writing, about);
    fine = fine && !text.failed && !writing.samples.failed && !writing.weights.failed;
    if (fine)
        fwrite(text.data, 1, text.size, out);
    swi_text_free(&text);
    swi_text_free(&writing.samples);
    swi_text_free(&writing.weights);
    return fine;
}

/* ---- folded stacks, in nanoseconds ----------------------------------------------------------- */

struct folded_writing {
    const struct tree *tree;
    struct swi_folded stacks;
};

static void stack_add(void *arg, const size_t *function, size_t depth, int64_t ns, int64_t calls)
{
    struct folded_writing *writing = arg;
    struct swi_text text = {0};
    (void)calls;
    for (size_t i = 0; i < depth; i++) {
        size_t size;
        const char *name = stacks_name(writing->tree, function[i], &size);
        if (i)
            swi_text_put(&text, ";");
        swi_escape_frame(&text, name, size);
    }
    swi_folded_add(&writing->stacks, &text, ns);
    swi_text_free(&text);
}

/* Writes a tree. Returns false if out of memory. */
static bool export_folded(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    struct folded_writing writing = {.tree = tree};
    struct swi_text text = {0};
    (void)about;
    bool fine = stacks_each(tree, stack_add, &writing);
    fine = swi_folded_end(&writing.stacks, &text) && fine;
    if (fine && text.size)
        fwrite(text.data, 1, text.size, out);
    swi_text_free(&text);
    return fine;
}

/* ---- the file formats of other programs that show where functions take time ------------------ */

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
