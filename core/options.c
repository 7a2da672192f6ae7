/* SPDX-License-Identifier: MIT */
#include "core/options.h"
#include "core/descriptor.h"
#include "core/nearest.h"
#include "core/parse.h"
#include "core/quote.h"
#include "core/shown.h"

#include <stdlib.h>
#include <string.h>

/* Texts that a state points at, and lists of them. */
struct swi_strings {
    size_t count;
    void **item;
};

/* A value on its way into a state. */
union value {
    bool boolean;
    int64_t integer;
    double number;
    const char *text;
    const char *const *list;
};

/* ---- what the strings own -----------------------------------------------------------------------
 */

static void *keep(struct swi_strings *strings, void *memory)
{
    void **item = memory ? realloc(strings->item, (strings->count + 1) * sizeof(*item)) : NULL;
    if (!item) {
        free(memory);
        return NULL;
    }
    strings->item = item;
    item[strings->count++] = memory;
    return memory;
}

void swi_options_free(struct swi_strings *strings)
{
    if (!strings)
        return;
    for (size_t i = 0; i < strings->count; i++)
        free(strings->item[i]);
    free(strings->item);
    free(strings);
}

/* ---- types --------------------------------------------------------------------------------------
 */

static size_t size_of(enum sw_option_type type)
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
    case SW_OPTION_STRING:
    case SW_OPTION_PATH:
    case SW_OPTION_CHOICE:
    case SW_OPTION_LIST:
        return sizeof(char *);
    }
    return 0;
}

/* Whether text is one of "a|b|c". */
static bool is_choice(const char *choices, const char *text)
{
    size_t n = strlen(text);
    for (const char *at = choices; *at;) {
        size_t length = strcspn(at, "|");
        if (length == n && strncmp(at, text, n) == 0)
            return true;
        at += length + (at[length] == '|');
    }
    return false;
}

static double magnitude(const struct sw_option *option, const union value *value)
{
    if (option->type == SW_OPTION_FLOAT)
        return value->number;
    double scale = option->type == SW_OPTION_DURATION ? 1e-9 : 1;
    return (double)value->integer * scale;
}

static int range_check(const struct sw_option *option, const char *text, const union value *value,
                       struct sw_error *err)
{
    double size = magnitude(option, value);
    const char *unit = option->type == SW_OPTION_DURATION ? " s"
                       : option->type == SW_OPTION_SIZE   ? " bytes"
                                                          : "";
    if ((option->min == 0 && option->max == 0) || (size >= option->min && size <= option->max))
        return 0;
    return sw_error_set(err, SW_EINVAL, "%s is not within %.15g..%.15g%s", text, option->min,
                        option->max, unit);
}

static int number_parse(const struct sw_option *option, const char *text, union value *value,
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

/* What is shown of a text in a message. */
static const char *shown(const struct sw_option *option, char *buffer, size_t size,
                         const char *text)
{
    return option->secret ? "its value" : swi_show(buffer, size, text);
}

static int text_parse(const struct sw_option *option, const char *text, union value *value,
                      struct sw_error *err)
{
    char show[64];
    if (option->type == SW_OPTION_CHOICE && !is_choice(option->choices, text))
        return sw_error_set(err, SW_EINVAL, "%s is none of %s",
                            shown(option, show, sizeof show, text), option->choices);
    if (option->type == SW_OPTION_PATH && !*text)
        return sw_error_set(err, SW_EINVAL, "is empty: expected a path, or - for stdout");
    value->text = text;
    return 0;
}

/* One scalar of an option; err is a clause that begins with the value. */
static int scalar_parse(const struct sw_option *option, const char *text, union value *value,
                        struct sw_error *err)
{
    char show[64];
    if (option->type == SW_OPTION_STRING || option->type == SW_OPTION_PATH ||
        option->type == SW_OPTION_CHOICE)
        return text_parse(option, text, value, err);
    const char *visible = shown(option, show, sizeof show, text);
    int rc = option->type == SW_OPTION_BOOL ? swi_parse_bool(text, &value->boolean, err)
                                            : number_parse(option, text, value, err);
    if (rc < 0) {
        struct sw_error clause = *err;
        return sw_error_set(err, SW_EINVAL, "%s %s", *visible ? visible : "\"\"", clause.text);
    }
    return option->type == SW_OPTION_BOOL ? 0 : range_check(option, visible, value, err);
}

static void store(const struct sw_option *option, void *state, const union value *value)
{
    memcpy((char *)state + option->offset, value, size_of(option->type));
}

/* ---- checking a table
 * ----------------------------------------------------------------------------- */

static int fallback_check(const struct sw_option *option, struct sw_error *err)
{
    union value value;
    struct sw_error clause = {0};
    if (!option->fallback || option->type == SW_OPTION_LIST)
        return 0;
    if (scalar_parse(option, option->fallback, &value, &clause) == 0)
        return 0;
    return sw_error_set(err, SW_ESINK, "option %s: its fallback is wrong: %s", option->name,
                        clause.text);
}

static int option_check(const struct sw_option *option, size_t state_size, struct sw_error *err)
{
    size_t size = size_of(option->type);
    if (!swi_name_valid(option->name))
        return sw_error_set(err, SW_ESINK, "option \"%s\" has a name that is none",
                            SWI_SHOWN(option->name));
    if (size == 0)
        return sw_error_set(err, SW_ESINK, "option %s: its type %d is none", option->name,
                            (int)option->type);
    if (option->offset > state_size || state_size - option->offset < size)
        return sw_error_set(
            err, SW_ESINK, "option %s: its field at offset %zu is outside of the state's %zu bytes",
            option->name, option->offset, state_size);
    if (!option->help)
        return sw_error_set(err, SW_ESINK, "option %s has no help", option->name);
    if (option->type == SW_OPTION_CHOICE && !option->choices)
        return sw_error_set(err, SW_ESINK, "option %s has no choices", option->name);
    return fallback_check(option, err);
}

int swi_options_check(const struct sw_option *options, size_t state_size, struct sw_error *err)
{
    for (const struct sw_option *option = options; option && option->name; option++) {
        int rc = option_check(option, state_size, err);
        if (rc < 0)
            return rc;
        for (const struct sw_option *other = options; other < option; other++)
            if (strcmp(other->name, option->name) == 0)
                return sw_error_set(err, SW_ESINK, "option %s stands twice in its table",
                                    option->name);
    }
    return 0;
}

/* ---- filling a state
 * ------------------------------------------------------------------------------ */

struct filling {
    const struct sw_sink_plugin *plugin;
    const struct swi_sink_settings *settings;
    void *state;
    struct swi_strings *strings;
    struct swi_mistakes *mistakes;
};

static const struct sw_option *option_find(const struct sw_sink_plugin *plugin, const char *name)
{
    for (const struct sw_option *option = plugin->options; option && option->name; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

/* All names of the table as "a, b, c"; what does not fit is left out. */
static void names_join(const struct sw_option *options, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (const struct sw_option *option = options; option && option->name; option++) {
        int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", option->name);
        if (n < 0 || (size_t)n >= size - used)
            return;
        used += (size_t)n;
    }
}

static const char *name_nearest(const struct sw_option *options, const char *word)
{
    const char *names[64];
    size_t count = 0;
    for (const struct sw_option *o = options; o && o->name && count < 64; o++)
        names[count++] = o->name;
    return swi_nearest(word, names, count);
}

static void unknown_add(const struct filling *f, const struct swi_setting *setting)
{
    char all[1024];
    const char *nearest = name_nearest(f->plugin->options, setting->name);
    names_join(f->plugin->options, all, sizeof all);
    if (nearest)
        swi_mistakes_add(f->mistakes, &setting->where,
                         "sink %s: unknown option \"%s\": did you mean %s?", f->plugin->name,
                         SWI_SHOWN(setting->name), nearest);
    else
        swi_mistakes_add(f->mistakes, &setting->where, "sink %s: unknown option \"%s\"; it has %s",
                         f->plugin->name, SWI_SHOWN(setting->name), *all ? all : "none");
}

static void fill_list(const struct filling *f, const struct sw_option *option,
                      const struct swi_setting *setting)
{
    const char **list = keep(f->strings, calloc(setting->count + 1, sizeof(*list)));
    for (size_t i = 0; list && i < setting->count; i++)
        list[i] = keep(f->strings, strdup(setting->value[i].text));
    if (list)
        memcpy((char *)f->state + option->offset, &list, sizeof list);
}

static void fill_scalar(const struct filling *f, const struct sw_option *option,
                        const struct swi_scalar *scalar)
{
    union value value;
    struct sw_error err = {0};
    char *text = keep(f->strings, strdup(scalar->text));
    if (!text)
        swi_mistakes_add(f->mistakes, &scalar->where, "sink %s: no memory", f->plugin->name);
    else if (scalar_parse(option, text, &value, &err) < 0)
        swi_mistakes_add(f->mistakes, &scalar->where, "sink %s: %s: %s", f->plugin->name,
                         option->name, err.text);
    else
        store(option, f->state, &value);
}

static void fill_setting(const struct filling *f, const struct sw_option *option,
                         const struct swi_setting *setting)
{
    bool is_null = !setting->is_list && setting->value[0].is_null;
    if (is_null)
        return;
    if (option->type == SW_OPTION_LIST)
        fill_list(f, option, setting);
    else if (setting->is_list)
        swi_mistakes_add(f->mistakes, &setting->where, "sink %s: %s takes one value, not a list",
                         f->plugin->name, option->name);
    else
        fill_scalar(f, option, &setting->value[0]);
}

static bool is_set(const struct swi_sink_settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->setting[i].name, name) == 0)
            return true;
    return false;
}

static void fill_fallback(const struct filling *f, const struct sw_option *option)
{
    struct swi_scalar scalar = {.text = (char *)option->fallback};
    struct swi_setting one = {.count = 1, .value = &scalar};
    if (option->required && !is_set(f->settings, option->name))
        swi_mistakes_add(f->mistakes, &f->settings->where, "sink %s: option %s is missing: %s",
                         f->plugin->name, option->name, option->help);
    if (!option->fallback)
        return;
    if (option->type == SW_OPTION_LIST)
        fill_list(f, option, &one);
    else
        fill_scalar(f, option, &scalar);
}

static bool stands_before(const struct swi_sink_settings *settings, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(settings->setting[k].name, settings->setting[i].name) == 0)
            return true;
    return false;
}

int swi_options_fill(const struct sw_sink_plugin *plugin, const struct swi_sink_settings *settings,
                     void *state, struct swi_strings **strings, struct swi_mistakes *mistakes)
{
    size_t before = mistakes->count;
    *strings = calloc(1, sizeof **strings);
    if (!*strings) {
        swi_mistakes_add(mistakes, &settings->where, "sink %s: no memory", plugin->name);
        return SW_ENOMEM;
    }
    struct filling f = {plugin, settings, state, *strings, mistakes};
    for (const struct sw_option *option = plugin->options; option && option->name; option++)
        fill_fallback(&f, option);
    for (size_t i = 0; i < settings->count; i++) {
        const struct swi_setting *setting = &settings->setting[i];
        const struct sw_option *option = option_find(plugin, setting->name);
        if (!option)
            unknown_add(&f, setting);
        else if (stands_before(settings, i))
            swi_mistakes_add(mistakes, &setting->where, "sink %s: option %s stands twice",
                             plugin->name, setting->name);
        else
            fill_setting(&f, option, setting);
    }
    return mistakes->count == before ? 0 : SW_ECONFIG;
}

/* ---- showing a value
 * ------------------------------------------------------------------------------ */

static char *number_text(const struct sw_option *option, const union value *value)
{
    char *text = NULL;
    int n = 0;
    if (option->type == SW_OPTION_FLOAT)
        n = asprintf(&text, "%.15g", value->number);
    else if (option->type == SW_OPTION_DURATION)
        n = value->integer % 1000000 == 0 ? asprintf(&text, "%.15gs", (double)value->integer * 1e-9)
                                          : asprintf(&text, "%" PRId64 "ns", value->integer);
    else
        n = asprintf(&text, "%" PRId64, value->integer);
    return n < 0 ? NULL : text;
}

static char *list_text(const char *const *list, bool is_list)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (is_list)
        fputc('[', out);
    for (size_t i = 0; list && list[i]; i++) {
        if (i)
            fputs(", ", out);
        swi_quote_print(list[i], out);
    }
    if (is_list)
        fputc(']', out);
    return fclose(out) == 0 ? text : NULL;
}

char *swi_option_value(const struct sw_option *option, const void *state)
{
    union value value = {0};
    memcpy(&value, (const char *)state + option->offset, size_of(option->type));
    switch (option->type) {
    case SW_OPTION_BOOL:
        return strdup(value.boolean ? "true" : "false");
    case SW_OPTION_STRING:
    case SW_OPTION_PATH:
    case SW_OPTION_CHOICE:
        if (!value.text)
            return strdup("~");
        if (option->secret)
            return strdup("\"***\"");
        return list_text((const char *const[]){value.text, NULL}, false);
    case SW_OPTION_LIST:
        return option->secret ? strdup("\"***\"") : list_text(value.list, true);
    default:
        return option->secret ? strdup("\"***\"") : number_text(option, &value);
    }
}
