/* SPDX-License-Identifier: MIT */
/* What the profiler and every sink of the tree say of themselves and of their options, compared as
 * a whole with tests/golden/options.txt: no help text changes by accident. docs/options makes the
 * tables of the guide and of the man page from that file. */
#include "core/text/buffer.h"
#include "tests/support/suite.h"

#include <stepwatch/inspect.h>

#include <stdlib.h>
#include <string.h>

#define FOLDER BUILDDIR "/sinks/.libs"

static const char *const types[] = {"bool", "integer", "number", "duration", "size",    "text",
                                    "path", "choice",  "list",   "name",     "subpath", "mapping"};

static void range_add(struct swi_text *text, const struct sw_option *option)
{
    if (option->min != 0 || option->max != 0)
        swi_text_format(text, " %.15g..%.15g", option->min, option->max);
    if (option->unit)
        swi_text_format(text, " %s", option->unit);
}

static void option_add(struct swi_text *text, const struct sw_option *option)
{
    swi_text_format(text, "  %s: %s", option->name, types[option->type]);
    if (option->choices)
        swi_text_format(text, " %s", option->choices);
    range_add(text, option);
    if (option->fallback)
        swi_text_format(text, " = %s", option->fallback);
    swi_text_format(text, "%s%s\n      %s\n", option->required ? " (required)" : "",
                    option->secret ? " (secret)" : "", option->help);
}

static void sink_add(struct swi_text *text, const struct sw_sink_plugin *plugin)
{
    swi_text_format(text, "%s %s (%s): %s\n", plugin->name, plugin->version, plugin->license,
                    plugin->summary);
    for (const struct sw_option *option = plugin->options; option && option->name; option++)
        option_add(text, option);
    swi_text_put(text, "\n");
}

/* The mapping `profiler` has a table like that of a sink. */
static void profiler_add(struct swi_text *text)
{
    swi_text_put(text, "profiler: the keys of the mapping\n");
    for (const struct sw_option *option = sw_profiler_options(); option->name; option++)
        option_add(text, option);
    swi_text_put(text, "\n");
}

/* Whether it belongs to this build: the folder may hold one that was built from another state of
 * the tree. */
static bool is_built(const char *name, size_t length)
{
    char file[64];
    snprintf(file, sizeof file, "sinks/%.*s.la ", (int)length, name);
    return strstr(TEST_SINKS " ", file) != NULL;
}

/* All sinks of the build tree, one text each, in order of their names. */
static void sinks_add(struct swi_text *text)
{
    struct sw_sinks *sinks;
    struct sw_error err = {0};
    setenv("STEPWATCH_PLUGIN_PATH", FOLDER, 1);
    ck_assert_msg(sw_sinks_find(NULL, &sinks, &err) > 0, "%s", sw_error_text(&err));
    for (size_t i = 0; i < sinks->count; i++) {
        const struct sw_sink_found *found = &sinks->item[i];
        bool ours = strncmp(found->path, FOLDER, strlen(FOLDER)) == 0;
        if (!ours || !is_built(found->name, strlen(found->name)))
            continue;
        ck_assert_msg(found->plugin != NULL, "%s: %s", found->path, found->problem);
        sink_add(text, found->plugin);
    }
    sw_sinks_free(sinks);
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Returns whether an option names a file or a folder. */
static bool names_a_path(const char *name)
{
    static const char *const names[] = {"path",     "dir",  "dirpath", "logdir",     "file",
                                        "database", "root", "folder",  "filesystems"};
    size_t size = strlen(name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return (size > 5 && strcmp(name + size - 5, "_file") == 0) ||
           (size > 4 && strcmp(name + size - 4, "_dir") == 0);
}

static int assert_paths(const char *plugin, const struct sw_option *option)
{
    int paths = 0;
    for (; option && option->name; option++)
        if (names_a_path(option->name)) {
            ck_assert_msg(option->type == SW_OPTION_PATH || option->type == SW_OPTION_PATHS,
                          "%s: %s is not of the type path: ~ and URLs make folders of that name",
                          plugin, option->name);
            paths++;
        }
    return paths;
}

START_TEST(each_option_that_names_a_file_or_a_folder_is_of_the_type_path)
{
    struct sw_sinks *sinks;
    struct sw_monitors *monitors;
    struct sw_error err = {0};
    int paths = 0;
    setenv("STEPWATCH_PLUGIN_PATH", FOLDER, 1);
    ck_assert_msg(sw_sinks_find(NULL, &sinks, &err) > 0, "%s", sw_error_text(&err));
    for (size_t i = 0; i < sinks->count; i++)
        if (sinks->item[i].plugin)
            paths += assert_paths(sinks->item[i].name, sinks->item[i].plugin->options);
    sw_sinks_free(sinks);
    ck_assert_msg(sw_monitors_find(NULL, &monitors, &err) > 0, "%s", sw_error_text(&err));
    for (size_t i = 0; i < monitors->count; i++)
        if (monitors->item[i].plugin)
            paths += assert_paths(monitors->item[i].name, monitors->item[i].plugin->options);
    sw_monitors_free(monitors);
    ck_assert_int_gt(paths, 10);
}
END_TEST

/* ---- all options ----------------------------------------------------------------------------- */

/* These need libraries that configure may not have found. */
static bool may_lack(const char *name, size_t length)
{
    return strncmp(name, "sqlite", length) == 0 || strncmp(name, "tensorboard", length) == 0 ||
           strncmp(name, "wandb", length) == 0;
}

/* The golden text without the sinks that were not built. */
static void golden_add(struct swi_text *text)
{
    static char golden[65536];
    FILE *file = fopen(SRCDIR "/tests/golden/options.txt", "r");
    ck_assert_ptr_nonnull(file);
    golden[fread(golden, 1, sizeof golden - 1, file)] = '\0';
    fclose(file);
    for (const char *at = golden; *at;) {
        size_t name = strcspn(at, " ");
        const char *end = strstr(at, "\n\n");
        ck_assert_ptr_nonnull(end);
        if (is_built(at, name) || !may_lack(at, name))
            swi_text_add(text, at, (size_t)(end - at) + 2);
        at = end + 2;
    }
}

static void keep(const struct swi_text *text)
{
    FILE *file = fopen(BUILDDIR "/tests/options.txt", "w");
    ck_assert_ptr_nonnull(file);
    fwrite(text->data, 1, text->size, file);
    fclose(file);
}

START_TEST(options_are_as_in_the_golden_file)
{
    struct swi_text text = {0}, golden = {0};
    profiler_add(&text);
    sinks_add(&text);
    golden_add(&golden);
    keep(&text);
    ck_assert_msg(golden.data && strcmp(text.data, golden.data) == 0,
                  "the sinks' options changed: compare tests/golden/options.txt with %s, and copy "
                  "that over it where the change is meant; then run docs/options --write",
                  BUILDDIR "/tests/options.txt");
    swi_text_free(&text);
    swi_text_free(&golden);
}
END_TEST

SUITE(sink_options)
{
    tcase_add_test(tc, options_are_as_in_the_golden_file);
    tcase_add_test(tc, each_option_that_names_a_file_or_a_folder_is_of_the_type_path);
}
