/* SPDX-License-Identifier: MIT */
#include "sinks/common/functions/stats.h"
#include "core/text/escape.h"
#include "core/text/parts.h"
#include "core/text/vec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stats_free(struct stats *stats)
{
    for (size_t i = 0; i < stats->count; i++)
        free(stats->function[i].callers);
    free(stats->function);
    swi_map_free(&stats->keys);
    *stats = (struct stats){0};
}

/* ---- finding a function ---- */

size_t stats_function(struct stats *stats, const char *file, int64_t line, const char *name)
{
    struct swi_text key = {0};
    swi_text_add(&key, (const char *)&line, sizeof line);
    swi_text_add(&key, file, strlen(file) + 1);
    swi_text_put(&key, name);
    struct function *function = key.failed ? NULL
                                           : swi_map_item(&stats->keys, &stats->function,
                                                          sizeof *function, key.data, key.size);
    swi_text_free(&key);
    if (!function) {
        stats->failed = true;
        return SIZE_MAX;
    }
    size_t number = (size_t)(function - stats->function);
    if (number == stats->count) {
        const char *own = stats->keys.name[number].text + sizeof line;
        *function = (struct function){.file = own, .line = line, .name = own + strlen(file) + 1};
        stats->count++;
    }
    return number;
}

struct edge *stats_edge(struct stats *stats, size_t number, size_t caller)
{
    struct function *function = &stats->function[number];
    for (size_t i = function->caller_count; i-- > 0;)
        if (function->callers[i].caller == caller)
            return &function->callers[i];
    size_t count = function->caller_count;
    if (!swi_vec_room(&function->callers, count, sizeof *function->callers)) {
        stats->failed = true;
        return NULL;
    }
    function->callers[count] = (struct edge){.caller = caller};
    function->caller_count++;
    return &function->callers[count];
}

void counts_add(struct counts *to, const struct counts *from)
{
    to->nc += from->nc;
    to->cc += from->cc;
    to->tt += from->tt;
    to->ct += from->ct;
}

/* ---- names ---- */

static char *shown_without_file(const char *name)
{
    size_t size = strlen(name);
    char *shown = NULL;
    if (size >= 2 && name[0] == '<' && name[size - 1] == '>')
        return asprintf(&shown, "{%.*s}", (int)size - 2, name + 1) < 0 ? NULL : shown;
    return strdup(name);
}

/* Symbols and files of a program are foreign text. */
char *function_shown(const struct function *function)
{
    char *shown = NULL;
    struct swi_text safe = {0};
    if (strcmp(function->file, "~") == 0 && function->line == 0)
        shown = shown_without_file(function->name);
    else if (asprintf(&shown, "%s:%" PRId64 "(%s)", function->file, function->line,
                      function->name) < 0)
        return NULL;
    swi_text_put(&safe, "");
    if (shown)
        swi_escape_terminal(&safe, shown);
    safe.failed |= !shown;
    free(shown);
    if (safe.failed)
        swi_text_free(&safe);
    return safe.data;
}

int function_compare(const struct function *a, const struct function *b)
{
    int files = strcmp(a->file, b->file);
    if (files)
        return files;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return strcmp(a->name, b->name);
}

bool stats_strip(const struct stats *stats, struct stats *stripped)
{
    size_t *as = calloc(stats->count + 1, sizeof *as);
    *stripped = (struct stats){.failed = !as};
    if (!as)
        return false;
    for (size_t i = 0; i < stats->count; i++) {
        const struct function *f = &stats->function[i];
        as[i] = stats_function(stripped, swi_last_part(f->file), f->line, f->name);
    }
    for (size_t i = 0; !stripped->failed && i < stats->count; i++) {
        const struct function *f = &stats->function[i];
        counts_add(&stripped->function[as[i]].counts, &f->counts);
        for (size_t k = 0; k < f->caller_count; k++) {
            struct edge *edge = stats_edge(stripped, as[i], as[f->callers[k].caller]);
            if (edge)
                counts_add(&edge->counts, &f->callers[k].counts);
        }
    }
    free(as);
    return !stripped->failed;
}
