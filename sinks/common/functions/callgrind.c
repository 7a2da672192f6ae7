/* SPDX-License-Identifier: MIT */
/* The file format of callgrind, for callgrind_annotate, kcachegrind and qcachegrind. */
#include "sinks/common/functions/callgrind.h"
#include "sinks/common/functions/stacks.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct callgrind_writing {
    FILE *out;
    const struct tree *tree;
    uint32_t *file_of; /* number of a function's file, from 1 */
    bool *file_told;   /* by number */
    bool *function_told;
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
    if (!writing->file_told[number]) {
        file = strcmp(file, "~") == 0 ? "???" : file;
        putc(' ', writing->out);
        plain_put(writing->out, file, strlen(file));
    }
    writing->file_told[number] = true;
    putc('\n', writing->out);
}

static void function_put(struct callgrind_writing *writing, const char *key, size_t i)
{
    size_t size;
    const char *name = stacks_name(writing->tree, i, &size);
    fprintf(writing->out, "%s=(%zu)", key, i + 1);
    if (!writing->function_told[i]) {
        putc(' ', writing->out);
        plain_put(writing->out, name, size);
    }
    writing->function_told[i] = true;
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

bool export_callgrind(FILE *out, const struct tree *tree, const struct exported_run *about)
{
    size_t count = tree->stats.count, edges;
    struct callee *callees = callees_make(&tree->stats, &edges);
    struct callgrind_writing writing = {.out = out,
                                        .tree = tree,
                                        .file_of = calloc(count + 1, sizeof(uint32_t)),
                                        .file_told = calloc(count + 2, sizeof(bool)),
                                        .function_told = calloc(count + 1, sizeof(bool))};
    bool fine = callees && writing.file_of && writing.file_told && writing.function_told;
    if (fine) {
        files_number(&writing);
        head_put(out, tree, about);
        functions_put(&writing, callees, edges);
    }
    free(callees);
    free(writing.file_of);
    free(writing.file_told);
    free(writing.function_told);
    return fine;
}
