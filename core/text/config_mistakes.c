/* SPDX-License-Identifier: MIT */
#include "core/text/config_mistakes.h"
#include "core/text/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct swi_mistake {
    int line;
    int column;
    size_t number; /* order of arrival, for mistakes at the same place */
    char *text;    /* NULL if out of memory */
};

static char *place_text(const struct swi_where *where)
{
    char *text = NULL;
    int n = where->line ? asprintf(&text, "%s:%d:%d: ", where->file, where->line, where->column)
                        : asprintf(&text, "%s: ", where->file ? where->file : "configuration");
    return n < 0 ? NULL : text;
}

/* Makes a text printable: a path, or a message of the loader, may control the terminal or look like
 * another line. */
static char *shown(const char *text)
{
    size_t size = 4 * strlen(text) + 32;
    char *copy = malloc(size);
    if (copy)
        swi_printable(copy, size, text);
    return copy;
}

static char *mistake_text(const struct swi_where *where, const char *format, va_list args)
{
    char *place = place_text(where), *sentence = NULL, *text = NULL;
    if (vasprintf(&sentence, format, args) < 0)
        sentence = NULL;
    if (place && sentence && asprintf(&text, "%s%s", place, sentence) < 0)
        text = NULL;
    char *whole = text ? shown(text) : NULL;
    free(place);
    free(sentence);
    free(text);
    return whole;
}

void swi_mistakes_add(struct swi_mistakes *mistakes, const struct swi_where *where,
                      const char *format, ...)
{
    size_t count = mistakes->count++;
    struct swi_mistake *item = realloc(mistakes->item, mistakes->count * sizeof *item);
    if (!item) {
        mistakes->count = count ? count : 1;
        return;
    }
    /* A mistake without memory is counted too. */
    if (!mistakes->item)
        memset(item, 0, count * sizeof *item);
    va_list args;
    va_start(args, format);
    item[count] = (struct swi_mistake){.line = where->line,
                                       .column = where->column,
                                       .number = count,
                                       .text = mistake_text(where, format, args)};
    va_end(args);
    mistakes->item = item;
}

static int by_place(const void *a, const void *b)
{
    const struct swi_mistake *x = a, *y = b;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

char *swi_mistakes_text(struct swi_mistakes *mistakes)
{
    char *text = NULL;
    size_t size = 0;
    if (!mistakes->count)
        return NULL;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (mistakes->item)
        qsort(mistakes->item, mistakes->count, sizeof *mistakes->item, by_place);
    for (size_t i = 0; i < mistakes->count; i++)
        fprintf(out, "%s%s", i ? "\n" : "",
                mistakes->item && mistakes->item[i].text ? mistakes->item[i].text
                                                         : "out of memory");
    return fclose(out) ? NULL : text;
}

int swi_mistakes_error(struct swi_mistakes *mistakes, struct sw_error *err)
{
    if (!mistakes->count)
        return 0;
    char *text = swi_mistakes_text(mistakes);
    if (!text)
        return sw_error_set(err, SW_ENOMEM,
                            "not enough memory to list the mistakes of the configuration");
    sw_error_set(err, SW_ECONFIG, "%s", text);
    free(text);
    return SW_ECONFIG;
}

void swi_mistakes_fini(struct swi_mistakes *mistakes)
{
    for (size_t i = 0; mistakes->item && i < mistakes->count; i++)
        free(mistakes->item[i].text);
    free(mistakes->item);
    *mistakes = (struct swi_mistakes){0};
}
