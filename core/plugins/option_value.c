/* SPDX-License-Identifier: MIT */
#include "core/plugins/option_value.h"

#include "core/text/parse.h"
#include "core/text/quote.h"

#include <stdlib.h>
#include <string.h>

static char *duration_text(int64_t ns)
{
    char *text = NULL;
    int n = ns % 1000000 == 0 ? asprintf(&text, "%ss", SWI_FLOAT((double)ns / 1e9))
                              : asprintf(&text, "%" PRId64 "ns", ns);
    return n < 0 ? NULL : text;
}

static char *integer_text(int64_t value)
{
    char *text = NULL;
    return asprintf(&text, "%" PRId64, value) < 0 ? NULL : text;
}

static char *one_text(const char *value)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = value ? open_memstream(&text, &size) : NULL;
    if (!out)
        return value ? NULL : strdup("~");
    swi_quote_print(value, out);
    return fclose(out) == 0 ? text : NULL;
}

/* item: the items of a list, or the names and values of a mapping in turn. */
static char *items_text(const char *const *item, bool is_map)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = item ? open_memstream(&text, &size) : NULL;
    if (!out)
        return item ? NULL : strdup("~");
    fputc(is_map ? '{' : '[', out);
    for (size_t i = 0; item[i]; i++) {
        fputs(is_map && i % 2 ? ": " : i ? ", " : "", out);
        swi_quote_print(item[i], out);
    }
    fputc(is_map ? '}' : ']', out);
    return fclose(out) == 0 ? text : NULL;
}

/* A secret that is not set may be shown as such. */
static bool is_unset(const struct sw_option *option, const void *field)
{
    bool is_pointer = option->type == SW_OPTION_STRING || option->type == SW_OPTION_PATH ||
                      option->type == SW_OPTION_CHOICE || option->type == SW_OPTION_LIST ||
                      option->type == SW_OPTION_PATHS || option->type == SW_OPTION_MAP ||
                      option->type == SW_OPTION_NAME || option->type == SW_OPTION_SUBPATH;
    return is_pointer && !*(const void *const *)field;
}

char *swi_option_value(const struct sw_option *option, const void *state)
{
    const void *field = (const char *)state + option->offset;
    if (is_unset(option, field))
        return strdup("~");
    switch (option->secret ? SW_OPTION_STRING : option->type) {
    case SW_OPTION_BOOL:
        return strdup(*(const bool *)field ? "true" : "false");
    case SW_OPTION_INT:
    case SW_OPTION_SIZE:
        return integer_text(*(const int64_t *)field);
    case SW_OPTION_DURATION:
        return duration_text(*(const int64_t *)field);
    case SW_OPTION_FLOAT:
        return strdup(SWI_FLOAT(*(const double *)field));
    case SW_OPTION_LIST:
    case SW_OPTION_PATHS:
    case SW_OPTION_MAP:
        return items_text(*(const char *const *const *)field, option->type == SW_OPTION_MAP);
    case SW_OPTION_STRING:
    case SW_OPTION_PATH:
    case SW_OPTION_CHOICE:
    case SW_OPTION_NAME:
    case SW_OPTION_SUBPATH:
        return option->secret ? strdup("\"***\"") : one_text(*(const char *const *)field);
    }
    return NULL;
}
