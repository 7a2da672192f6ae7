/* SPDX-License-Identifier: MIT */
/* stepwatch functions - shows in which functions a run spent its time: docs/functions.md. */
#include "tools/commands/arguments.h"
#include "tools/commands/commands.h"
#include "tools/functions/files.h"
#include "tools/functions/functions_json.h"
#include "sinks/common/functions/pstats.h"
#include "tools/functions/profile_source.h"
#include "tools/functions/profile_summary.h"
#include "sinks/common/functions/merged_tree.h"
#include "tools/output/print_json.h"
#include "tools/output/stderr.h"
#include "tools/output/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: stepwatch functions [OPTION]... FOLDER|FILE\n\n"
    "Shows which functions a run spent its time in, as Python's pstats does. FILE is\n"
    "a profile (.functions) that stepwatch run --functions made, or a .prof of\n"
    "cProfile; FOLDER means the newest profile in it.\n\n"
    "  --action NAME     show only what ran while this action was innermost; each:\n"
    "                    show all actions, one after the other (default: the whole run)\n"
    "  --sort KEY,...    calls, pcalls, tottime, cumulative (default), filename,\n"
    "                    line, name, nfl, stdname; none: do not sort\n"
    "  --reverse         reverse the order\n"
    "  --restrict WHAT   show fewer functions: 10 of them, 0.5 of them, or those that\n"
    "                    match a regular expression; can be given several times\n"
    "  --callers         show which functions call each function\n"
    "  --callees         show which functions each function calls\n"
    "  --full-paths      show the folders of files\n"
    "  --out FOLDER      print nothing, and write whole.prof, forward.prof, ... there\n"
    "  --format LIST     with --out: the formats to write: prof (default), folded,\n"
    "                    speedscope, callgrind, pprof\n"
    "  --json            print the functions, or the names of the files, as JSON\n";

/* The options that were given. */
struct asked {
    const char *action, *out, *formats;
    const char *sort[PSTATS_SORTS + 1];
    const char *restrict_to[ARGUMENT_LIST];
    bool reverse, callers, callees, full_paths;
    json_t *profiles; /* for --json: what was asked for; or NULL */
};

static void no_debug_tell(const char *object)
{
    say(NULL,
        "%s has no debug information, so its functions have no file and line (compile it with -g)",
        object);
}

/* ---- the profiles ---- */

/* Prints a profile, or adds it to the JSON. action: NULL for the whole run. */
static bool profile_put(const char *action, const struct stats *stats, const struct asked *asked,
                        const struct pstats *how)
{
    if (!asked->profiles)
        return pstats_print(stdout, stats, how);
    return json_array_append_new(asked->profiles, functions_json(action, stats, how)) == 0;
}

static bool stats_print(const char *action, const struct stats *stats, const struct asked *asked,
                        const struct tree *sampled)
{
    struct pstats how = {.sort = asked->sort,
                         .restrict_to = asked->restrict_to,
                         .reverse = asked->reverse,
                         .sampled = sampled != NULL,
                         .samples = sampled ? sampled->samples : 0,
                         .view = asked->callers   ? PSTATS_CALLERS
                                 : asked->callees ? PSTATS_CALLEES
                                                  : PSTATS_FUNCTIONS};
    struct stats stripped;
    if (asked->full_paths)
        return profile_put(action, stats, asked, &how);
    bool fine = stats_strip(stats, &stripped) && profile_put(action, &stripped, asked, &how);
    stats_free(&stripped);
    return fine;
}

/* action: NULL for the whole run. */
static bool tree_print(const struct profile *profile, const struct action *action,
                       const struct asked *asked)
{
    struct tree tree;
    bool fine =
        tree_make(&tree, profile, action ? action->number : PROFILE_WHOLE, -1) &&
        stats_print(action ? action->name : NULL, &tree.stats, asked, tree.sampled ? &tree : NULL);
    tree_free(&tree);
    return fine;
}

static bool actions_print(const struct profile *profile, const struct asked *asked)
{
    bool fine = true;
    for (size_t i = 0; i < profile->action_count && fine; i++) {
        if (!asked->profiles) {
            fputs("Profile stats for: ", stdout);
            text_put(profile->action[i].name, 0);
            putchar('\n');
        }
        fine = tree_print(profile, &profile->action[i], asked);
    }
    return fine;
}

static void actions_tell(const struct profile *profile, const char *asked)
{
    say("functions", "the action \"%s\" was never begun%s", asked,
        profile->action_count ? "; these actions were:" : ", nor was any other action");
    for (size_t i = 0; i < profile->action_count; i++)
        say(NULL, "  %s", profile->action[i].name);
}

static int profile_print(const struct profile *profile, const struct asked *asked)
{
    bool fine;
    if (asked->action && strcmp(asked->action, "each") == 0) {
        fine = actions_print(profile, asked);
    } else {
        const struct action *action = asked->action ? profile_action(profile, asked->action) : NULL;
        if (asked->action && !action) {
            actions_tell(profile, asked->action);
            return EXIT_FAILED;
        }
        fine = tree_print(profile, action, asked);
    }
    if (!asked->profiles)
        summary_print(stdout, profile);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

/* ---- the command ---- */

static int files_make(const struct profile_source *source, const struct asked *asked)
{
    SW_ERROR_SCOPE(err);
    if (source->is_prof) {
        say("functions", "%s: files can only be made from a profile of stepwatch (.functions)",
            source->path);
        return EXIT_FAILED;
    }
    json_t *made = asked->profiles ? json_array() : NULL;
    int count = files_write(&source->profile, asked->out, asked->formats, made, &err);
    if (count >= 0 && made)
        return json_show("functions",
                         json_pack("{s:o, s:o}", "profile", summary_json(source), "files", made))
                   ? EXIT_FINE
                   : EXIT_FAILED;
    json_decref(made);
    if (count < 0) {
        say_error("functions", &err);
        return EXIT_FAILED;
    }
    printf("%d files written to %s\n", count, asked->out);
    return EXIT_FINE;
}

static int source_show(const struct profile_source *source, const struct asked *asked)
{
    if (source->others)
        say(NULL, "%s is the newest of %zu profiles in this folder", source->path,
            source->others + 1);
    if (asked->out)
        return files_make(source, asked);
    int rc = EXIT_FAILED;
    if (!source->is_prof)
        rc = profile_print(&source->profile, asked);
    else if (stats_print(NULL, &source->stats, asked, NULL))
        rc = EXIT_FINE;
    if (rc == EXIT_FINE && asked->profiles &&
        !json_show("functions", json_pack("{s:o, s:O}", "profile", summary_json(source), "profiles",
                                          asked->profiles)))
        rc = EXIT_FAILED;
    return rc;
}

/* Splits the keys. Changes text. */
static int sort_take(struct asked *asked, char *text)
{
    int count = 0;
    if (strcmp(text, "none") == 0)
        return 0;
    for (char *key = strtok(text, ","); key; key = strtok(NULL, ",")) {
        if (count == PSTATS_SORTS)
            return -1;
        asked->sort[count++] = key;
    }
    return 0;
}

static int asked_check(const struct asked *asked, struct sw_error *err)
{
    struct pstats how = {.sort = asked->sort, .restrict_to = asked->restrict_to};
    int rc = pstats_check(&how, err);
    return rc < 0 ? rc : files_check(asked->formats, err);
}

static int run(int argc, char **argv)
{
    struct asked asked = {.formats = "prof"};
    const char *sort = "cumulative";
    bool json = false;
    const struct argument arguments[] = {{.name = "action", .value = &asked.action},
                                         {.name = "sort", .value = &sort},
                                         {.name = "reverse", .flag = &asked.reverse},
                                         {.name = "restrict", .list = asked.restrict_to},
                                         {.name = "callers", .flag = &asked.callers},
                                         {.name = "callees", .flag = &asked.callees},
                                         {.name = "full-paths", .flag = &asked.full_paths},
                                         {.name = "out", .value = &asked.out},
                                         {.name = "format", .value = &asked.formats},
                                         {.name = "json", .flag = &json}};
    int rc = arguments_take(&functions_command, arguments, sizeof arguments / sizeof *arguments,
                            &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    SW_ERROR_SCOPE(err);
    struct profile_source source;
    if (argc != 2)
        return usage_error(&functions_command, "expected a folder or a file");
    char *keys = strdup(sort);
    if (!keys || sort_take(&asked, keys) < 0 || asked_check(&asked, &err) < 0) {
        rc = usage_error(&functions_command, "%s",
                         err.code ? sw_error_text(&err) : "too many sort keys");
        free(keys);
        return rc;
    }
    if (source_open(&source, argv[1], no_debug_tell, &err) < 0) {
        say_error("functions", &err);
        rc = EXIT_FAILED;
    } else {
        asked.profiles = json ? json_array() : NULL;
        rc = source_show(&source, &asked);
        json_decref(asked.profiles);
    }
    source_free(&source);
    free(keys);
    return rc;
}

const struct command functions_command = {"functions", "shows which functions take the time", help,
                                          run};
