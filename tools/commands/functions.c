/* SPDX-License-Identifier: MIT */
/* stepwatch functions - shows in which functions a run spent its time: docs/functions.md. */
#include "sinks/common/functions/merged_tree.h"
#include "sinks/common/functions/profile.h"
#include "sinks/common/functions/pstats.h"
#include "tools/commands/commands.h"
#include "tools/functions/files.h"
#include "tools/output/print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- as JSON ---- */

static json_t *function_json(const struct function *function, const struct counts *counts)
{
    return json_pack("{s:o, s:I, s:o, s:I, s:I, s:o, s:o}", "file", text_json(function->file),
                     "line", (json_int_t)function->line, "name", text_json(function->name), "calls",
                     (json_int_t)counts->nc, "primitive_calls", (json_int_t)counts->cc, "self_s",
                     text_json_number(counts->tt), "total_s", text_json_number(counts->ct));
}

static json_t *callers_json(const struct stats *stats, const struct function *function)
{
    json_t *list = json_array();
    for (size_t i = 0; i < function->caller_count; i++)
        json_array_append_new(list, function_json(&stats->function[function->callers[i].caller],
                                                  &function->callers[i].counts));
    return list;
}

static json_t *callees_json(const struct stats *stats, size_t number)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stats->count; i++)
        for (size_t k = 0; k < stats->function[i].caller_count; k++)
            if (stats->function[i].callers[k].caller == number)
                json_array_append_new(list, function_json(&stats->function[i],
                                                          &stats->function[i].callers[k].counts));
    return list;
}

static json_t *row_json(const struct stats *stats, const struct pstats_row *row,
                        const struct pstats *how)
{
    json_t *object = function_json(row->function, &row->function->counts);
    if (how->view == PSTATS_CALLERS)
        json_object_set_new(object, "callers", callers_json(stats, row->function));
    if (how->view == PSTATS_CALLEES)
        json_object_set_new(object, "callees", callees_json(stats, row->number));
    return object;
}

/* Returns the functions that `how` leaves, in its order; their callers or callees if that is the
 * view. action: NULL for the whole run. Returns NULL if out of memory. */
static json_t *functions_json(const char *action, const struct stats *stats,
                              const struct pstats *how)
{
    struct swi_text reduced = {0};
    struct counts all = {0};
    size_t count = 0;
    struct pstats_row *rows = pstats_rows_new(stats, how, &count, &reduced);
    json_t *list = rows ? json_array() : NULL;
    for (size_t i = 0; rows && i < count; i++)
        json_array_append_new(list, row_json(stats, &rows[i], how));
    for (size_t i = 0; i < stats->count; i++)
        counts_add(&all, &stats->function[i].counts);
    pstats_rows_free(rows, stats->count);
    swi_text_free(&reduced);
    return json_pack("{s:o, s:I, s:I, s:o, s:o}", "action",
                     action ? text_json(action) : json_null(), "calls",
                     (json_int_t)(how->sampled ? how->samples : all.nc), "primitive_calls",
                     (json_int_t)(how->sampled ? how->samples : all.cc), "self_s",
                     text_json_number(all.tt), "functions", list);
}

/* Returns what a reader must know about a profile besides its numbers; NULL if out of memory. */
static json_t *summary_json(const struct profile_source *source)
{
    static const char *const names[] = {"off", "exact", "sampled", "sample"};
    const struct profile *profile = &source->profile;
    if (source->is_prof)
        return json_pack("{s:o, s:s, s:s, s:n}", "path", text_json(source->path), "times",
                         "cprofile", "counts", "calls", "program");
    const char *times = profile->times > FN_SAMPLE ? "unknown" : names[profile->times];
    return json_pack("{s:o, s:s, s:s, s:o, s:I, s:b, s:o, s:I, s:I, s:b, s:b}", "path",
                     text_json(source->path), "times", profile->wall ? "wall" : times, "counts",
                     profile->times == FN_SAMPLE ? "samples" : "calls", "program",
                     profile->program ? text_json(profile->program) : json_null(), "rate_hz",
                     (json_int_t)profile->rate, "complete", profile->complete, "hooks_ns",
                     text_json_number(profile->hooks_ns), "lost", (json_int_t)profile->lost,
                     "unmatched_returns", (json_int_t)profile->unmatched, "contexts_full",
                     profile->full, "file_cut", profile->short_of != 0);
}

/* ---- as text ---- */

/* If hooks take more than this share of the time, the times of small functions are uncertain. */
#define HOOKS_MUCH 0.10

/* Prints how the samples differ from what was requested. */
static void samples_print(FILE *out, const struct profile *profile)
{
    if (profile->kernel_rate && profile->rate > profile->kernel_rate)
        fprintf(out, "%" PRIu32 " Hz is what this kernel gives: one sample counts for several\n",
                profile->kernel_rate);
    if (profile->taken)
        fprintf(out, "sampling stopped when the program took signal %" PRIu32 " (%s) for itself\n",
                profile->taken, strsignal((int)profile->taken));
    if (profile->unseen)
        fprintf(out,
                "times are of CPU time: threads that wait cannot be seen in the program's "
                "/proc/self/task: %s\n",
                strerror((int)profile->unseen));
    if (profile->unsampled)
        fprintf(out,
                "%" PRIu32 " threads were not sampled: the system had no timers for them; "
                "ulimit -i limits them\n",
                profile->unsampled);
}

static void calls_print(FILE *out, const struct profile *profile)
{
    char calls[TEXT_NUMBER];
    text_count(calls, (double)profile->calls);
    switch (profile->times) {
    case FN_EXACT:
        fprintf(out, "%s calls, %.3f s of hooks subtracted\n", calls, profile->hooks_ns * 1e-9);
        break;
    case FN_SAMPLE:
        fprintf(out, "%s samples, %" PRIu32 " a second of %s time: counts are samples, not calls\n",
                calls, profile->rate, profile->wall ? "wall" : "CPU");
        samples_print(out, profile);
        break;
    default:
        fprintf(out, "%s calls, times sampled 997 times a second\n", calls);
    }
    if (profile->times == FN_EXACT &&
        profile->hooks_ns > HOOKS_MUCH * (profile->total_ns + profile->hooks_ns))
        fputs("the times of small functions are uncertain; 'times: sampled' costs a quarter\n",
              out);
}

static void lost_print(FILE *out, const struct profile *profile)
{
    char lost[TEXT_NUMBER];
    text_count(lost, (double)profile->lost);
    fprintf(out, "%s %s were not counted\n", lost,
            profile->times == FN_SAMPLE ? "samples" : "calls");
}

static void gaps_print(FILE *out, const struct profile *profile)
{
    if (!profile->complete)
        fputs("the program was ended early: counts are complete up to then\n", out);
    if (profile->unmatched)
        fprintf(out, "%" PRIu64 " returns without their call\n", profile->unmatched);
    if (profile->lost)
        lost_print(out, profile);
    if (profile->full)
        fputs("more contexts than a tree has room for: the rest is counted by caller and callee, "
              "and the time of the hooks is not subtracted\n",
              out);
    if (profile->short_of)
        fprintf(out, "the profile is incomplete, for its file could not grow: %s\n",
                strerror((int)profile->short_of));
}

/* ---- the options ---- */

static const char help[] =
    "usage: stepwatch functions [OPTION]... FOLDER|FILE\n\n"
    "Shows which functions a run spent its time in, as Python's pstats does. FILE is\n"
    "a profile (.functions) that stepwatch run --functions made, or a .prof of\n"
    "cProfile; FOLDER means the newest profile in it.\n\n"
    "  --action NAME     show only what ran while this action was innermost; each:\n"
    "                    show all actions, one after the other (default: the whole run)\n"
    "  --sort KEY,...    calls, pcalls, tottime, cumulative (default), filename,\n"
    "                    line, name, nfl, stdname; none: do not sort\n"
    "  --reverse         reverse the order of --sort\n"
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
        tree_make(&tree, profile, action ? action->number : PROFILE_WHOLE) &&
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

static void actions_say(const struct profile *profile, const char *asked)
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
            actions_say(profile, asked->action);
            return EXIT_FAILED;
        }
        fine = tree_print(profile, action, asked);
    }
    if (!asked->profiles) {
        calls_print(stdout, profile);
        gaps_print(stdout, profile);
    }
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
    int count = files_write(&source->profile, asked->out, asked->formats ? asked->formats : "prof",
                            made, &err);
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
    if (rc == 0 && asked->formats && !asked->out)
        rc = sw_error_set(err, SW_EINVAL, "--format needs --out FOLDER");
    return rc == 0 && asked->formats ? files_check(asked->formats, err) : rc;
}

static int run(int argc, char **argv)
{
    struct asked asked = {0};
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
    arguments_take(&functions_command, arguments, sizeof arguments / sizeof *arguments, &argc,
                   argv);
    SW_ERROR_SCOPE(err);
    struct profile_source source;
    int rc = EXIT_FAILED;
    if (argc != 2)
        return usage_error(&functions_command, "expected a folder or a file");
    char *keys = strdup(sort);
    if (!keys || sort_take(&asked, keys) < 0 || asked_check(&asked, &err) < 0) {
        rc = usage_error(&functions_command, "%s",
                         err.code ? sw_error_text(&err) : "too many sort keys");
        free(keys);
        return rc;
    }
    if (source_open(&source, argv[1], no_debug_say, &err) < 0) {
        say_error("functions", &err);
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
