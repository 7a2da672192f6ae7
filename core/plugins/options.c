/* SPDX-License-Identifier: MIT */
#include "core/plugins/options.h"
#include "core/plugins/descriptor.h"
#include "core/text/nearest.h"
#include "core/plugins/option_path.h"
#include "core/text/parse.h"
#include "core/text/printable.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 64, NAMES_BYTES = 1024 };

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
};

/* ---- what the strings own -----------------------------------------------------------------------
 */

static void *keep(struct swi_strings *strings, void *memory)
{
    void **item = memory ? realloc(strings->item, (strings->count + 1) * sizeof *item) : NULL;
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

/* ---- names that are allowed ---------------------------------------------------------------------
 */

/* Names, and the memory that they lie in. */
struct names {
    size_t count;
    const char *item[NAMES_MAX];
    char text[NAMES_BYTES];
};

/* "a|b|c", taken apart. */
static void names_of_choices(struct names *names, const char *choices)
{
    names->count = 0;
    snprintf(names->text, sizeof names->text, "%s", choices);
    char *rest = NULL;
    for (char *at = strtok_r(names->text, "|", &rest); at && names->count < NAMES_MAX;
         at = strtok_r(NULL, "|", &rest))
        names->item[names->count++] = at;
}

static void names_of_options(struct names *names, const struct sw_option *options)
{
    names->count = 0;
    for (const struct sw_option *o = options; o && o->name && names->count < NAMES_MAX; o++)
        names->item[names->count++] = o->name;
}

/* "a, b, c"; what does not fit is left out. */
static const char *names_join(const struct names *names, char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none");
    for (size_t i = 0; i < names->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names->item[i]);
    return text;
}

static bool names_have(const struct names *names, const char *word)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->item[i], word) == 0)
            return true;
    return false;
}

/* "; did you mean X?" or "". */
static const char *names_hint(const struct names *names, const char *word, char *text, size_t size)
{
    const char *nearest = swi_nearest(word, names->item, names->count);
    text[0] = '\0';
    if (nearest)
        snprintf(text, size, "; did you mean %s?", nearest);
    return text;
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
    case SW_OPTION_NAME:
    case SW_OPTION_SUBPATH:
        return sizeof(char *);
    }
    return 0;
}

static bool has_range(const struct sw_option *option)
{
    return option->min != 0 || option->max != 0;
}

static const char *unit_of_range(const struct sw_option *option)
{
    return option->type == SW_OPTION_DURATION ? " s"
           : option->type == SW_OPTION_SIZE   ? " bytes"
                                              : "";
}

static double magnitude(const struct sw_option *option, const union value *value)
{
    if (option->type == SW_OPTION_FLOAT)
        return value->number;
    /* A division is exact for whole seconds, a product with 1e-9 is not. */
    return (double)value->integer / (option->type == SW_OPTION_DURATION ? 1e9 : 1);
}

static int range_check(const struct sw_option *option, const union value *value,
                       struct sw_error *err)
{
    double size = magnitude(option, value);
    if (!has_range(option) || (size >= option->min && size <= option->max))
        return 0;
    return sw_error_set(err, SW_EINVAL, "is not within %s..%s%s", SWI_FLOAT(option->min),
                        SWI_FLOAT(option->max), unit_of_range(option));
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

static int choice_check(const struct sw_option *option, const char *text, struct sw_error *err)
{
    struct names names;
    char all[NAMES_BYTES], hint[128];
    names_of_choices(&names, option->choices);
    if (names_have(&names, text))
        return 0;
    return sw_error_set(err, SW_EINVAL, "is none of %s%s", names_join(&names, all, sizeof all),
                        names_hint(&names, text, hint, sizeof hint));
}

static int text_check(const struct sw_option *option, const char *text, struct sw_error *err)
{
    switch (option->type) {
    case SW_OPTION_CHOICE:
        return choice_check(option, text, err);
    case SW_OPTION_PATH:
        return swi_option_path_check(text, err);
    case SW_OPTION_NAME:
        return swi_option_name_check(text, err);
    case SW_OPTION_SUBPATH:
        return swi_option_subpath_check(text, err);
    default:
        return 0;
    }
}

/* One scalar of an option that takes one; text must outlive the value. err: how a sentence goes on
 * that began with the text. */
static int scalar_parse(const struct sw_option *option, const char *text, union value *value,
                        struct sw_error *err)
{
    switch (option->type) {
    case SW_OPTION_BOOL:
        return swi_parse_bool(text, &value->boolean, err);
    case SW_OPTION_INT:
    case SW_OPTION_FLOAT:
    case SW_OPTION_DURATION:
    case SW_OPTION_SIZE: {
        int rc = number_parse(option, text, value, err);
        return rc < 0 ? rc : range_check(option, value, err);
    }
    default:
        break;
    }
    value->text = text;
    return text_check(option, text, err);
}

/* ---- checking a table
 * ----------------------------------------------------------------------------- */

static int fallback_check(const struct sw_option *option, struct sw_error *err)
{
    union value value;
    struct sw_error clause = {0};
    if (!option->fallback || option->type == SW_OPTION_LIST)
        return 0;
    if (option->required)
        return sw_error_set(err, SW_ESINK, "option %s is required and yet has a fallback",
                            option->name);
    if (scalar_parse(option, option->fallback, &value, &clause) == 0)
        return 0;
    return sw_error_set(err, SW_ESINK, "option %s: its fallback \"%s\" %s", option->name,
                        SWI_SHOWN(option->fallback), clause.text);
}

static int option_check(const struct sw_option *option, size_t state_size, struct sw_error *err)
{
    size_t size = size_of(option->type);
    if (!swi_name_valid(option->name))
        return sw_error_set(err, SW_ESINK,
                            "option \"%s\": that is no name: expected a to z, 0 to 9 and _, at "
                            "most 32, a letter first",
                            SWI_SHOWN(option->name));
    if (size == 0)
        return sw_error_set(err, SW_ESINK, "option %s: there is no type %d", option->name,
                            (int)option->type);
    if (option->offset > state_size || state_size - option->offset < size)
        return sw_error_set(
            err, SW_ESINK,
            "option %s: its field at offset %zu is not within the %zu bytes of state_size",
            option->name, option->offset, state_size);
    if (!option->help)
        return sw_error_set(err, SW_ESINK, "option %s has no help", option->name);
    if (option->type == SW_OPTION_CHOICE && (!option->choices || !*option->choices))
        return sw_error_set(err, SW_ESINK, "option %s has no choices", option->name);
    if (has_range(option) && !(option->min <= option->max))
        return sw_error_set(err, SW_ESINK, "option %s: its range %s..%s is empty", option->name,
                            SWI_FLOAT(option->min), SWI_FLOAT(option->max));
    return fallback_check(option, err);
}

int swi_options_check(const struct sw_option *options, size_t state_size, struct sw_error *err)
{
    for (const struct sw_option *option = options; option && option->name; option++) {
        if (option - options == NAMES_MAX)
            return sw_error_set(err, SW_ESINK,
                                "its option table has more than %d entries: is the last one, "
                                "with the name NULL, missing?",
                                NAMES_MAX);
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

static void unknown_add(const struct filling *f, const struct swi_setting *setting)
{
    struct names names;
    char all[NAMES_BYTES], hint[128];
    names_of_options(&names, f->plugin->options);
    swi_mistakes_add(f->mistakes, &setting->where, "sink %s: unknown option \"%s\"%s It has: %s",
                     f->plugin->name, SWI_SHOWN(setting->name),
                     *names_hint(&names, setting->name, hint, sizeof hint) ? hint : ".",
                     names_join(&names, all, sizeof all));
}

__attribute__((format(printf, 4, 5))) static void wrong(const struct filling *f,
                                                        const struct sw_option *option,
                                                        const struct swi_where *where,
                                                        const char *format, ...)
{
    struct sw_error err;
    va_list args;
    va_start(args, format);
    sw_error_vset(&err, SW_EINVAL, format, args);
    va_end(args);
    swi_mistakes_add(f->mistakes, where, "sink %s: %s: %s", f->plugin->name, option->name,
                     err.text);
}

/* "https://me:password@host", perhaps. */
static bool may_have_password(const char *text)
{
    const char *host = strstr(text, "://");
    return host && strchr(host, '@');
}

/* A text as it stands in a message; nobody sees what came from the environment, or is secret. */
static const char *visible(const struct sw_option *option, const struct swi_scalar *scalar,
                           char *buffer, size_t size)
{
    bool hidden = option->secret || scalar->from_environment || may_have_password(scalar->text);
    bool quoted = option->type == SW_OPTION_CHOICE || !*scalar->text;
    char show[72];
    if (hidden)
        snprintf(buffer, size, "its value");
    else
        snprintf(buffer, size, quoted ? "\"%s\"" : "%s", swi_show(show, sizeof show, scalar->text));
    return buffer;
}

/* A secret that stands in the file would be committed with it. */
static bool secret_check(const struct filling *f, const struct sw_option *option,
                         const struct swi_scalar *scalar)
{
    if (!option->secret || scalar->from_environment || !*scalar->text)
        return true;
    /* As swi_option_value() has it: the file is a configuration that was printed. */
    bool masked = strcmp(scalar->text, "***") == 0;
    wrong(f, option, &scalar->where,
          "%s: put it into the environment, and here \"${NAME_OF_THE_VARIABLE}\"",
          masked ? "*** is what is printed instead of a secret, and says nothing of it"
                 : "a secret must not stand in the file");
    return false;
}

static void fill_scalar(const struct filling *f, const struct sw_option *option,
                        const struct swi_scalar *scalar)
{
    union value value;
    struct sw_error err = {0};
    char show[80];
    if (!secret_check(f, option, scalar))
        return;
    bool is_path = option->type == SW_OPTION_PATH;
    char *text =
        keep(f->strings, is_path ? swi_option_path_expand(scalar->text) : strdup(scalar->text));
    if (!text)
        wrong(f, option, &scalar->where, "no memory");
    else if (scalar_parse(option, text, &value, &err) < 0)
        wrong(f, option, &scalar->where, "%s %s", visible(option, scalar, show, sizeof show),
              err.text);
    else
        memcpy((char *)f->state + option->offset, &value, size_of(option->type));
}

static void fill_list(const struct filling *f, const struct sw_option *option,
                      const struct swi_setting *setting)
{
    const char **list = keep(f->strings, calloc(setting->count + 1, sizeof *list));
    bool fine = list;
    for (size_t i = 0; i < setting->count && fine; i++) {
        const struct swi_scalar *scalar = &setting->value[i];
        if (scalar->is_null)
            wrong(f, option, &scalar->where, "entry %zu of the list is empty", i + 1);
        else
            secret_check(f, option, scalar);
        list[i] = keep(f->strings, strdup(scalar->text));
        fine = list[i];
    }
    if (fine)
        memcpy((char *)f->state + option->offset, &list, sizeof list);
    else
        wrong(f, option, &setting->where, "no memory");
}

static bool is_nothing(const struct swi_setting *setting)
{
    return !setting->is_list && setting->value[0].is_null;
}

/* `key:` with nothing behind it leaves the fallback. */
static void fill_setting(const struct filling *f, const struct sw_option *option,
                         const struct swi_setting *setting)
{
    if (is_nothing(setting))
        return;
    if (option->type == SW_OPTION_LIST)
        fill_list(f, option, setting);
    else if (setting->is_list)
        wrong(f, option, &setting->where, "expected one value, found a list");
    else
        fill_scalar(f, option, &setting->value[0]);
}

static const struct swi_setting *setting_find(const struct swi_sink_settings *settings,
                                              const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->setting[i].name, name) == 0)
            return &settings->setting[i];
    return NULL;
}

/* A list's fallback is one text, or "[a, b]". */
static void fallback_list(const struct filling *f, const struct sw_option *option)
{
    struct swi_scalar scalar[NAMES_MAX] = {0};
    struct swi_setting list = {.where = f->settings->where, .is_list = true, .value = scalar};
    char *text = keep(f->strings, strdup(option->fallback)), *rest = NULL;
    bool many = text && text[0] == '[';
    for (char *at = text ? strtok_r(text, many ? "[], " : "", &rest) : NULL;
         at && list.count < NAMES_MAX; at = strtok_r(NULL, many ? "[], " : "", &rest))
        scalar[list.count++].text = at;
    fill_list(f, option, &list);
}

static void fill_fallback(const struct filling *f, const struct sw_option *option)
{
    const struct swi_setting *setting = setting_find(f->settings, option->name);
    struct swi_scalar scalar = {.text = (char *)option->fallback, .where = f->settings->where};
    if (option->required && (!setting || is_nothing(setting)))
        swi_mistakes_add(f->mistakes, setting ? &setting->where : &f->settings->where,
                         "sink %s: %s is required: %s", f->plugin->name, option->name,
                         option->help);
    if (option->fallback && option->type == SW_OPTION_LIST)
        fallback_list(f, option);
    else if (option->fallback)
        fill_scalar(f, option, &scalar);
}

static void fill_all(const struct filling *f)
{
    const struct swi_sink_settings *settings = f->settings;
    for (const struct sw_option *option = f->plugin->options; option && option->name; option++)
        fill_fallback(f, option);
    for (size_t i = 0; i < settings->count; i++) {
        const struct swi_setting *setting = &settings->setting[i];
        const struct sw_option *option = option_find(f->plugin, setting->name);
        if (!option)
            unknown_add(f, setting);
        else if (setting_find(settings, setting->name) != setting)
            wrong(f, option, &setting->where, "stands twice");
        else
            fill_setting(f, option, setting);
    }
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
    fill_all(&(struct filling){plugin, settings, state, *strings, mistakes});
    return mistakes->count == before ? 0 : SW_ECONFIG;
}
