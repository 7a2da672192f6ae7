/* SPDX-License-Identifier: MIT */
#include "core/plugins/kind.h"

#include "config.h"
#include "core/plugins/option_parse.h"
#include "core/text/parse.h"
#include "core/text/printable.h"

#include <stepwatch/sink.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- checks a plugin's table of options ------------------------------------------------------ */

static int fallback_check(const struct sw_option *option, struct sw_error *err)
{
    union swi_value value;
    SW_ERROR_SCOPE(clause);
    if (!option->fallback || option->type == SW_OPTION_LIST || option->type == SW_OPTION_PATHS)
        return 0;
    if (option->required)
        return sw_error_set(err, SW_ESINK, "option %s is required but has a fallback",
                            option->name);
    if (swi_option_parse(option, option->fallback, &value, &clause) == 0)
        return 0;
    return sw_error_set(err, SW_ESINK, "option %s: its fallback \"%s\" %s", option->name,
                        SWI_PRINTABLE(option->fallback), sw_error_text(&clause));
}

static int option_check(const struct sw_option *option, size_t state_size, struct sw_error *err)
{
    size_t size = swi_option_size(option->type);
    if (!swi_name_valid(option->name))
        return sw_error_set(err, SW_ESINK,
                            "option \"%s\" is not a valid name: expected a to z, 0 to 9 and _, at "
                            "most 32, a letter first",
                            SWI_PRINTABLE(option->name));
    if (size == 0)
        return sw_error_set(err, SW_ESINK, "option %s: type %d does not exist", option->name,
                            (int)option->type);
    if (option->offset > state_size || state_size - option->offset < size)
        return sw_error_set(
            err, SW_ESINK,
            "option %s: its field at offset %zu is not within the %zu bytes of state_size",
            option->name, option->offset, state_size);
    if (option->type == SW_OPTION_MAP && option->fallback)
        return sw_error_set(err, SW_ESINK, "option %s is a mapping, which cannot have a fallback",
                            option->name);
    if (!option->help)
        return sw_error_set(err, SW_ESINK, "option %s has no help", option->name);
    if (option->type == SW_OPTION_CHOICE && (!option->choices || !*option->choices))
        return sw_error_set(err, SW_ESINK, "option %s has no choices", option->name);
    if (swi_option_has_range(option) && !(option->min <= option->max))
        return sw_error_set(err, SW_ESINK, "option %s: its range %s..%s is empty", option->name,
                            SWI_FLOAT(option->min), SWI_FLOAT(option->max));
    return fallback_check(option, err);
}

/* Checks names, types, fallbacks (which must parse) and offsets (which must be within state_size).
 * Returns 0, or a negative code with err set. */
static int options_check(const struct sw_option *options, size_t state_size, struct sw_error *err)
{
    for (const struct sw_option *option = options; option && option->name; option++) {
        if (option - options == SWI_OPTION_NAMES_MAX)
            return sw_error_set(err, SW_ESINK,
                                "its option table has more than %d entries: is the last one, "
                                "with the name NULL, missing?",
                                SWI_OPTION_NAMES_MAX);
        int rc = option_check(option, state_size, err);
        if (rc < 0)
            return rc;
        for (const struct sw_option *other = options; other < option; other++)
            if (strcmp(other->name, option->name) == 0)
                return sw_error_set(err, SW_ESINK, "option %s is in its table twice", option->name);
    }
    return 0;
}

/* ---- checks whether the descriptor that a plugin exports can be used ------------------------- */

enum { STATE_MAX = 16 << 20, SIZE_MOST = 4096 };

/* The fields that an option of every plugin has; later ones are 0 in a plugin without them. */
#define OPTION_LEAST (offsetof(struct sw_option, help) + sizeof(char *))

static int header_check(const struct swi_kind *kind, const struct swi_descriptor *plugin,
                        struct sw_error *err)
{
    if (plugin->magic != kind->magic)
        return sw_error_set(err, SW_ESINK,
                            "its %s is not a %s descriptor: magic is 0x%08x, expected "
                            "0x%08x; begin it with %s",
                            kind->symbol, kind->word, plugin->magic, kind->magic, kind->head);
    if (plugin->abi != kind->abi)
        return sw_error_set(err, SW_ESINK,
                            "it was built for %s ABI %u, this stepwatch has %u: rebuild it",
                            kind->word, plugin->abi, kind->abi);
    if (plugin->plugin_size < kind->least || plugin->plugin_size > SIZE_MOST)
        return sw_error_set(err, SW_ESINK,
                            "its descriptor has %u bytes, expected %zu to %d: rebuild it with this "
                            "stepwatch's %s",
                            plugin->plugin_size, kind->least, SIZE_MOST, kind->header);
    if (plugin->option_size < OPTION_LEAST || plugin->option_size > SIZE_MOST)
        return sw_error_set(err, SW_ESINK,
                            "an entry of its option table has %u bytes, expected %zu to %d: "
                            "rebuild it with this stepwatch's %s",
                            plugin->option_size, OPTION_LEAST, SIZE_MOST, kind->header);
    return 0;
}

static int name_check(const struct swi_kind *kind, const struct swi_descriptor *plugin,
                      const char *expected, struct sw_error *err)
{
    if (!plugin->name || !swi_name_valid(plugin->name))
        return sw_error_set(
            err, SW_ESINK,
            "its name \"%s\" is not valid: expected a to z, 0 to 9 and _, at most 32, a "
            "letter first",
            SWI_PRINTABLE(plugin->name ? plugin->name : ""));
    if (expected && strcmp(plugin->name, expected) != 0)
        return sw_error_set(
            err, SW_ESINK,
            "the file is named %s.so, but its %s is named \"%s\": the names must match", expected,
            kind->word, plugin->name);
    return 0;
}

static int content_check(const struct swi_kind *kind, const struct swi_descriptor *plugin,
                         struct sw_error *err)
{
    size_t state_size = swi_kind_state_size(kind, plugin);
    if (!plugin->version || !plugin->license || !plugin->summary)
        return sw_error_set(err, SW_ESINK, "it has no %s",
                            !plugin->version   ? "version"
                            : !plugin->license ? "license"
                                               : "summary");
    int rc = kind->check(plugin, err);
    if (rc < 0)
        return rc;
    if (state_size > STATE_MAX)
        return sw_error_set(err, SW_ESINK, "its state of %zu bytes is too large: at most %d",
                            state_size, STATE_MAX);
    return options_check(swi_kind_options(kind, plugin), state_size, err);
}

/* ---- plugins of older and newer headers ------------------------------------------------------ */

/* A descriptor with the fields that this core has: options, then the descriptor. */
struct adopted {
    struct adopted *next;
    const void *from;
    void *plugin;
    struct sw_option option[];
};

static const struct sw_option *option_at(const struct swi_kind *kind,
                                         const struct swi_descriptor *plugin, size_t i)
{
    return (const void *)((const char *)swi_kind_options(kind, plugin) + i * plugin->option_size);
}

/* Without the last one, which has no name. */
static size_t options_count(const struct swi_kind *kind, const struct swi_descriptor *plugin)
{
    size_t count = 0;
    while (swi_kind_options(kind, plugin) && count <= SWI_OPTION_NAMES_MAX &&
           option_at(kind, plugin, count)->name)
        count++;
    return count;
}

static int options_copy(const struct swi_kind *kind, struct sw_option *to,
                        const struct swi_descriptor *from, size_t count, struct sw_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (!swi_sized_copy(&to[i], sizeof to[i], option_at(kind, from, i), from->option_size))
            return sw_error_set(err, SW_ESINK,
                                "its option %s uses fields that stepwatch " PACKAGE_VERSION
                                " does not know: the %s needs a newer stepwatch",
                                SWI_PRINTABLE(option_at(kind, from, i)->name), kind->word);
    return 0;
}

static int adopted_fill(const struct swi_kind *kind, struct adopted *adopted,
                        const struct swi_descriptor *from, size_t count, struct sw_error *err)
{
    struct swi_descriptor *plugin = adopted->plugin;
    const struct sw_option *options = swi_kind_options(kind, from) ? adopted->option : NULL;
    adopted->from = from;
    if (!swi_sized_copy(plugin, kind->size, from, from->plugin_size))
        return sw_error_set(err, SW_ESINK,
                            "its descriptor uses fields that stepwatch " PACKAGE_VERSION
                            " does not know: the %s needs a newer stepwatch",
                            kind->word);
    plugin->plugin_size = (uint32_t)kind->size;
    plugin->option_size = sizeof(struct sw_option);
    memcpy((char *)plugin + kind->options_at, &options, sizeof options);
    return options_copy(kind, adopted->option, from, count, err);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct adopted *all; /* never freed, because plugins stay loaded too */

static const void *adopted_find(const void *from)
{
    pthread_mutex_lock(&lock);
    const struct adopted *at = all;
    while (at && at->from != from)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at ? at->plugin : NULL;
}

static void adopted_keep(struct adopted *adopted)
{
    pthread_mutex_lock(&lock);
    adopted->next = all;
    all = adopted;
    pthread_mutex_unlock(&lock);
}

void swi_descriptor_child(void)
{
    pthread_mutex_init(&lock, NULL);
}

static int check(const struct swi_kind *kind, const void *plugin, const char *expected,
                 struct sw_error *err)
{
    int rc = name_check(kind, plugin, expected, err);
    return rc < 0 ? rc : content_check(kind, plugin, err);
}

static int adopt(const struct swi_kind *kind, const void *from, const char *expected,
                 const void **plugin, struct sw_error *err)
{
    size_t count = options_count(kind, from);
    size_t options = (count + 1) * sizeof(struct sw_option);
    struct adopted *adopted = calloc(1, sizeof *adopted + options + kind->size);
    if (!adopted)
        return sw_error_set(err, SW_ENOMEM, "not enough memory to load it");
    adopted->plugin = (char *)adopted->option + options;
    int rc = adopted_fill(kind, adopted, from, count, err);
    if (rc == 0)
        rc = check(kind, adopted->plugin, expected, err);
    if (rc < 0) {
        free(adopted);
        return rc;
    }
    adopted_keep(adopted);
    *plugin = adopted->plugin;
    return 0;
}

int swi_descriptor_take(const struct swi_kind *kind, const void *from, const char *expected,
                        const void **plugin, struct sw_error *err)
{
    const struct swi_descriptor *descriptor = from;
    if (!from)
        return sw_error_set(err, SW_ESINK, "it exports no symbol %s: it is not a stepwatch %s",
                            kind->symbol, kind->word);
    int rc = header_check(kind, descriptor, err);
    if (rc < 0)
        return rc;
    bool same = descriptor->plugin_size == kind->size &&
                descriptor->option_size == sizeof(struct sw_option);
    *plugin = same ? from : adopted_find(from);
    return *plugin ? check(kind, *plugin, expected, err) : adopt(kind, from, expected, plugin, err);
}
