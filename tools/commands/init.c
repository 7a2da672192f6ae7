/* SPDX-License-Identifier: MIT */
/* stepwatch init - writes a configuration to begin with, made from the option tables. */
#include "core/text/printable.h"
#include "tools/commands/commands.h"
#include "tools/output/print.h"

#include <stepwatch/inspect.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char help[] =
    "usage: stepwatch init [--sinks NAME,NAME...] [--json] [FILE]\n\n"
    "Writes a configuration with every option of the profiler and of the named sinks,\n"
    "and explains each option and its default. FILE defaults to stepwatch.yaml; - is\n"
    "standard output. An existing file is never overwritten.\n\n"
    "  --sinks NAME,...  the sinks that receive the results (default: table); stepwatch\n"
    "                    sinks lists them\n"
    "  --json            print what was written as JSON\n";

enum { SINKS_MAX = 64 };

/* ---- one option ---- */

/* Returns whether YAML reads the text as itself without quotes. */
static bool is_plain(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./";
    return *text && !text[strspn(text, letters)] && strcasecmp(text, "null") != 0;
}

static void put_value(FILE *out, const struct sw_option *option, const char *value)
{
    bool list =
        (option->type == SW_OPTION_LIST || option->type == SW_OPTION_PATHS) && *value == '[';
    if (list || is_plain(value))
        fputs(value, out);
    else
        swi_quote_string(value, out);
}

/* Writes the range "1..17", or the choices; nothing if there is no limit. */
static void put_allowed(FILE *out, const struct sw_option *option)
{
    const char *unit = option->type == SW_OPTION_DURATION ? " s"
                       : option->type == SW_OPTION_SIZE   ? " bytes"
                                                          : "";
    if (option->type == SW_OPTION_CHOICE) {
        fputs("; one of ", out);
        for (const char *c = option->choices; *c; c++)
            *c == '|' ? fputs(", ", out) : fputc(*c, out);
    } else if (option->min != 0 || option->max != 0) {
        fprintf(out, "; %.15g..%.15g%s", option->min, option->max, unit);
    }
    if (option->unit)
        fprintf(out, " %s", option->unit);
}

/* Writes a valid value for a required option. */
static void put_example(FILE *out, const struct sw_option *option, const char *sink)
{
    if (option->secret)
        fprintf(out, "\"${%s_%s:-}\"", sink, option->name);
    else if (option->type == SW_OPTION_CHOICE)
        fprintf(out, "%.*s", (int)strcspn(option->choices, "|"), option->choices);
    else if (option->type == SW_OPTION_BOOL)
        fputs("false", out);
    else if (option->type == SW_OPTION_INT || option->type == SW_OPTION_FLOAT ||
             option->type == SW_OPTION_SIZE)
        fprintf(out, "%.15g", option->min);
    else if (option->type == SW_OPTION_DURATION)
        fprintf(out, "%.15gs", option->min);
    else
        fputs("CHANGE_ME", out);
}

/* Writes the help of an option, and "#name: default". The user removes the # to change it. A
 * required option has no #. */
static void put_option(FILE *out, const struct sw_option *option, const char *sink, int indent)
{
    fprintf(out, "%*s# ", indent, "");
    text_shown(out, option->help, 0);
    put_allowed(out, option);
    fprintf(out, "\n%*s%s%s:", indent, "", option->required ? "" : "#", option->name);
    if (option->fallback || option->required)
        fputc(' ', out);
    if (option->fallback)
        put_value(out, option, option->fallback);
    else if (option->required)
        put_example(out, option, sink);
    fputc('\n', out);
}

/* ---- the file ---- */

static const char head[] =
    "# What stepwatch measures, and where the results go. sw_open(NULL) reads stepwatch.yaml in "
    "the\n"
    "# folder in which the program runs, and sw_open(\"FILE\") reads any other file. A key with a "
    "#\n"
    "# right in front of it shows its default: remove the # to change it. stepwatch check FILE\n"
    "# reports all mistakes.\n"
    "\n"
    "# the name of the run for loggers (default: the program's name)\n"
    "#name:\n"
    "\n"
    "profiler:\n";

static void put_sink(FILE *out, const struct sw_sink_plugin *plugin)
{
    fputs("  # ", out);
    text_shown(out, plugin->summary, 0);
    fprintf(out, "\n  - %s:\n", plugin->name);
    for (const struct sw_option *o = plugin->options; o && o->name; o++)
        put_option(out, o, plugin->name, 6);
}

static bool is_chosen(const struct sw_sink_plugin *const *plugins, const char *name)
{
    while (*plugins && strcmp((*plugins)->name, name) != 0)
        plugins++;
    return *plugins != NULL;
}

/* Lists the other sinks, so that nobody has to look them up. */
static void put_others(FILE *out, const struct sw_sinks *sinks,
                       const struct sw_sink_plugin *const *chosen)
{
    bool any = false;
    for (size_t i = 0; i < sinks->count; i++) {
        const struct sw_sink_found *found = &sinks->item[i];
        if (found->problem || found->shadowed || is_chosen(chosen, found->name))
            continue;
        fputs(any ? ""
                  : "  # other sinks; stepwatch init --sinks NAME,NAME writes their options:\n",
              out);
        any = true;
        fprintf(out, "  # %s: ", found->name);
        text_shown(out, found->plugin->summary, 0);
        fputc('\n', out);
    }
    fputs(any ? "\n" : "", out);
}

static void put_all(FILE *out, const struct sw_sinks *sinks,
                    const struct sw_sink_plugin *const *chosen)
{
    fputs(head, out);
    for (const struct sw_option *o = sw_profiler_options(); o->name; o++)
        put_option(out, o, "", 2);
    fputs("\n# folders with sinks of your own, relative to this file\n#plugin_path: []\n"
          "\nlogger_callback:\n",
          out);
    put_others(out, sinks, chosen);
    for (; *chosen; chosen++)
        put_sink(out, *chosen);
}

/* ---- which sinks ---- */

/* Returns the sink that a configuration would get by a name of this length, or NULL. */
static const struct sw_sink_found *sink_find(const struct sw_sinks *sinks, const char *name,
                                             size_t length)
{
    for (size_t i = 0; i < sinks->count; i++) {
        const char *found = sinks->item[i].name;
        if (strncmp(found, name, length) == 0 && !found[length])
            return &sinks->item[i];
    }
    return NULL;
}

static void say_refused(const struct sw_sinks *sinks, const struct sw_sink_found *found,
                        const char *name, int length)
{
    char *names = found ? NULL : sinks_names(sinks);
    if (found)
        say("init", "--sinks %.*s: %s", length, name,
            found->problem ? found->problem : "too many sinks");
    else
        say("init", "--sinks %.*s: no sink has that name; the sinks are %s", length, name,
            names ? names : "others");
    free(names);
}

/* Fills chosen with the sinks of "a,b", terminated by NULL. */
static int sinks_choose(const struct sw_sinks *sinks, const char *names,
                        const struct sw_sink_plugin **chosen)
{
    size_t count = 0;
    while (*names) {
        size_t length = strcspn(names, ",");
        const struct sw_sink_found *found = sink_find(sinks, names, length);
        if (!found || found->problem || count + 1 == SINKS_MAX) {
            say_refused(sinks, found, names, (int)length);
            return EXIT_FAILED;
        }
        chosen[count++] = found->plugin;
        names += length + (names[length] == ',');
    }
    chosen[count] = NULL;
    return EXIT_FINE;
}

/* ---- writing ---- */

/* Creates a file. Never opens an existing one, or one through a link. */
static FILE *file_create(const char *path)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0)
        return fdopen(file, "w");
    say("init", "%s: %s", path,
        errno == EEXIST
            ? "exists already and is not overwritten: give another FILE, or - for standard output"
            : strerror(errno));
    return NULL;
}

static int written_show(const char *path, const struct sw_sink_plugin *const *chosen, bool json)
{
    if (!json) {
        text_put(path, 0);
        fputs(" was written; check it with: stepwatch check ", stdout);
        text_put(path, 0);
        putchar('\n');
        return EXIT_FINE;
    }
    json_t *names = json_array();
    for (; *chosen; chosen++)
        json_array_append_new(names, text_json((*chosen)->name));
    json_t *written = json_pack("{s:o, s:o}", "path", text_json(path), "sinks", names);
    return json_show("init", written) ? EXIT_FINE : EXIT_FAILED;
}

static int write_file(const char *path, const struct sw_sinks *sinks,
                      const struct sw_sink_plugin *const *chosen, bool json)
{
    FILE *out = file_create(path);
    if (!out)
        return EXIT_FAILED;
    put_all(out, sinks, chosen);
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return written_show(path, chosen, json);
    say("init", "%s: %s", path, strerror(errno));
    unlink(path);
    return EXIT_FAILED;
}

static int write_chosen(const char *path, const struct sw_sinks *sinks, const char *names,
                        bool json)
{
    const struct sw_sink_plugin *chosen[SINKS_MAX];
    if (sinks_choose(sinks, names, chosen) != EXIT_FINE)
        return EXIT_FAILED;
    if (strcmp(path, "-") != 0)
        return write_file(path, sinks, chosen, json);
    put_all(stdout, sinks, chosen);
    return EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *names = "table";
    bool json = false;
    const struct argument arguments[] = {{.name = "sinks", .value = &names},
                                         {.name = "json", .flag = &json}};
    SW_ERROR_SCOPE(err);
    struct sw_sinks *sinks = NULL;
    arguments_take(&init_command, arguments, 2, &argc, argv);
    if (argc > 2)
        return usage_error(&init_command, "expected at most one FILE, found %d", argc - 1);
    const char *path = argc == 2 ? argv[1] : "stepwatch.yaml";
    if (json && strcmp(path, "-") == 0)
        return usage_error(&init_command,
                           "--json cannot be used with -: standard output has the configuration");
    if (sw_sinks_find(NULL, &sinks, &err) < 0) {
        say_error("init", &err);
        return EXIT_FAILED;
    }
    int rc = write_chosen(path, sinks, names, json);
    sw_sinks_free(sinks);
    return rc;
}

const struct command init_command = {"init", "writes a configuration to start from", help, run};
