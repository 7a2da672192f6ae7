/* SPDX-License-Identifier: MIT */
#include "core/plugins/option_parse.h"
#include "core/text/names.h"
#include "core/text/parse.h"
#include "core/text/path_text.h"
#include "core/text/printable.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the fields of the types are -------------------------------------------------------- */

/* From SW_OPTION_STRING on, all are. */
static bool is_pointer(enum sw_option_type type)
{
    return type >= SW_OPTION_STRING && type <= SW_OPTION_PATHS;
}

size_t swi_option_size(enum sw_option_type type)
{
    switch (type) {
    case SW_OPTION_BOOL:
        return sizeof(bool);
    case SW_OPTION_INT:
    case SW_OPTION_DURATION:
    case SW_OPTION_SIZE:
        return sizeof(int64_t);
    case SW_OPTION_FLOAT:
        return sizeof(double);
    default:
        return is_pointer(type) ? sizeof(void *) : 0;
    }
}

/* ---- whether a name is valid ----------------------------------------------------------------- */

enum { NAME_BYTES = 32 };

bool swi_name_valid(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && n <= NAME_BYTES && !name[n] && name[0] >= 'a' && name[0] <= 'z';
}

/* ---- names of options ------------------------------------------------------------------------ */

/* Splits "a|b|c". */
static void option_names_of_choices(struct swi_option_names *names, const char *choices)
{
    names->count = 0;
    snprintf(names->text, sizeof names->text, "%s", choices);
    char *rest = NULL;
    for (char *at = strtok_r(names->text, "|", &rest); at && names->count < SWI_OPTION_NAMES_MAX;
         at = strtok_r(NULL, "|", &rest))
        names->item[names->count++] = at;
}

void swi_option_names_of_options(struct swi_option_names *names, const struct sw_option *options)
{
    names->count = 0;
    for (const struct sw_option *o = options; o && o->name && names->count < SWI_OPTION_NAMES_MAX;
         o++)
        names->item[names->count++] = o->name;
}

const char *swi_option_names_join(const struct swi_option_names *names, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (size_t i = 0; i < names->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names->item[i]);
    return text;
}

static bool option_names_have(const struct swi_option_names *names, const char *word)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->item[i], word) == 0)
            return true;
    return false;
}

const char *swi_option_names_hint(const struct swi_option_names *names, const char *word,
                                  char *text, size_t size)
{
    const char *nearest = swi_nearest(word, names->item, names->count);
    text[0] = '\0';
    if (nearest)
        snprintf(text, size, "; did you mean %s?", nearest);
    return text;
}

/* ---- as text --------------------------------------------------------------------------------- */

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
    return is_pointer(option->type) && !*(const void *const *)field;
}

char *swi_option_value(const struct sw_option *option, const void *state)
{
    const void *field = (const char *)state + option->offset;
    if (is_unset(option, field))
        return strdup("~");
    if (option->secret)
        return strdup("\"***\"");
    switch (option->type) {
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
    default:
        return one_text(*(const char *const *)field);
    }
}

/* ---- checks options that are parts of paths -------------------------------------------------- */

/* Checks paths before the run, because a file system would accept any of them, with another effect
 * than the user expects. */

/* These functions return 0, or SW_EINVAL with an err that continues a sentence that begins with the
 * text. */

/* Checks a part of a file name. It may be empty. */
static int option_name_check(const char *name, struct sw_error *err)
{
    if (strchr(name, '/'))
        return sw_error_set(err, SW_EINVAL,
                            "contains a /: expected part of a file name, not a path");
    return 0;
}

/* Returns whether a component is empty, "." or "..". */
static bool strays(const char *component, size_t length)
{
    return length == 0 || (length == 1 && component[0] == '.') ||
           (length == 2 && component[0] == '.' && component[1] == '.');
}

/* Checks a path that must stay below another one. It may be empty. */
static int option_subpath_check(const char *path, struct sw_error *err)
{
    if (!*path)
        return 0;
    for (const char *at = path;; at++) {
        size_t length = strcspn(at, "/");
        if (strays(at, length))
            return sw_error_set(
                err, SW_EINVAL,
                "leads out of the folder: expected names joined by /, none of them empty, . or ..");
        at += length;
        if (!*at)
            return 0;
    }
}

/* ---- parses the text of an option by its type, range and choices ----------------------------- */

bool swi_option_has_range(const struct sw_option *option)
{
    return option->min != 0 || option->max != 0;
}

static const char *unit_of_range(const struct sw_option *option)
{
    return option->type == SW_OPTION_DURATION ? " s"
           : option->type == SW_OPTION_SIZE   ? " bytes"
                                              : "";
}

static double magnitude(const struct sw_option *option, const union swi_value *value)
{
    if (option->type == SW_OPTION_FLOAT)
        return value->number;
    /* A division is exact for whole seconds; a product with 1e-9 is not. */
    return (double)value->integer / (option->type == SW_OPTION_DURATION ? 1e9 : 1);
}

static int range_refuse(const struct sw_option *option, struct sw_error *err)
{
    return sw_error_set(err, SW_EINVAL, "is not within %s..%s%s", SWI_FLOAT(option->min),
                        SWI_FLOAT(option->max), unit_of_range(option));
}

static int range_check(const struct sw_option *option, const union swi_value *value,
                       struct sw_error *err)
{
    double size = magnitude(option, value);
    if (!swi_option_has_range(option) || (size >= option->min && size <= option->max))
        return 0;
    return range_refuse(option, err);
}

/* An integer that no int64_t can hold is outside of any range of an option. */
static bool is_huge(const struct sw_option *option, const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    return option->type == SW_OPTION_INT && swi_option_has_range(option) && *digits &&
           !digits[strspn(digits, "0123456789")];
}

static int number_parse(const struct sw_option *option, const char *text, union swi_value *value,
                        struct sw_error *err)
{
    switch (option->type) {
    case SW_OPTION_INT:
        return swi_parse_int(text, &value->integer, err);
    case SW_OPTION_DURATION:
        return swi_parse_duration(text, &value->integer, err);
    case SW_OPTION_SIZE:
        return swi_parse_size(text, &value->integer, err);
    default:
        return swi_parse_float(text, &value->number, err);
    }
}

static int choice_check(const struct sw_option *option, const char *text, struct sw_error *err)
{
    struct swi_option_names names;
    char all[SWI_OPTION_NAMES_BYTES], hint[128];
    option_names_of_choices(&names, option->choices);
    if (option_names_have(&names, text))
        return 0;
    return sw_error_set(err, SW_EINVAL, "is not one of %s%s",
                        swi_option_names_join(&names, all, sizeof all),
                        swi_option_names_hint(&names, text, hint, sizeof hint));
}

static int text_check(const struct sw_option *option, const char *text, struct sw_error *err)
{
    switch (option->type) {
    case SW_OPTION_CHOICE:
        return choice_check(option, text, err);
    case SW_OPTION_PATH:
        return swi_path_text_check(text, err);
    case SW_OPTION_NAME:
        return option_name_check(text, err);
    case SW_OPTION_SUBPATH:
        return option_subpath_check(text, err);
    default:
        return 0;
    }
}

int swi_option_parse(const struct sw_option *option, const char *text, union swi_value *value,
                     struct sw_error *err)
{
    if (option->type == SW_OPTION_BOOL)
        return swi_parse_bool(text, &value->boolean, err);
    if (is_pointer(option->type)) {
        value->text = text;
        return text_check(option, text, err);
    }
    int rc = number_parse(option, text, value, err);
    if (rc < 0)
        return is_huge(option, text) ? range_refuse(option, err) : rc;
    return range_check(option, value, err);
}
