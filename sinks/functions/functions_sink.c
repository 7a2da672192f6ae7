/* SPDX-License-Identifier: MIT */
/* functions - prints the profile that libstepwatch-functions has made of this process, at the end
 * of the run: for each action, in which functions it spent its time, in the format of Lightning's
 * advanced profiler. Also writes files for viewers. See docs/functions.md. */
#include "core/text/printable.h"
#include "sinks/common/functions/export_formats.h"
#include "sinks/common/functions/merged_tree.h"
#include "sinks/common/functions/profile.h"
#include "sinks/common/functions/pstats.h"
#include "sinks/common/lightning_stage.h"
#include "sinks/common/option_rows.h"

#include <stepwatch/sink.h>
#include <stepwatch/stepwatch.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the report of Lightning's advanced profiler: for each action, the text of pstats -------- */

struct profile_text {
    const char *const *sort;
    const char *const *restrict_to;
    const char *stage; /* FIT, VALIDATE, or "" */
    int64_t rank;      /* negative if the program has only one process */
};

static void title_print(FILE *out, const struct action *action, int64_t rank)
{
    char shown[1024];
    fprintf(out, "Profile stats for: %s", swi_printable(shown, sizeof shown, action->name));
    if (rank >= 0)
        fprintf(out, " rank: %lld", (long long)rank);
    putc('\n', out);
}

/* Prints an action. Files are shown without folders, as in Lightning. */
static bool action_print(FILE *out, const struct profile *profile, const struct action *action,
                         const struct profile_text *how)
{
    struct tree tree;
    struct stats stripped = {0};
    bool fine = tree_make(&tree, profile, action->number) && stats_strip(&tree.stats, &stripped);
    struct pstats pstats = {.sort = how->sort,
                            .restrict_to = how->restrict_to,
                            .sampled = tree.sampled,
                            .samples = tree.samples};
    if (fine) {
        title_print(out, action, how->rank);
        fine = pstats_print(out, &stripped, &pstats);
    }
    stats_free(&stripped);
    tree_free(&tree);
    return fine;
}

/* Prints the report. Returns false if out of memory. */
static bool profile_text_print(FILE *out, const struct profile *profile,
                               const struct profile_text *how)
{
    bool fine = true;
    fprintf(out, "%s%sProfiler Report\n", how->stage, *how->stage ? " " : "");
    for (size_t i = 0; i < profile->action_count && fine; i++) {
        if (i)
            putc('\n', out);
        fine = action_print(out, profile, &profile->action[i], how);
    }
    return fine;
}

/* ---- prints the profile that libstepwatch-functions has made of this process ----------------- */

struct functions {
    const char *dirpath, *filename;
    const char *line_count_restriction;
    const char *sort;
    const char *const *formats;
    bool dump_stats;
    struct sw_sink *sink;
    const char *stage; /* what the report is named after */
};

static const struct sw_option options[] = {
    SWI_OPTION(PATH, struct functions, dirpath,
               "folder of the files (default: that of the profile)"),
    SWI_OPTION(NAME, struct functions, filename,
               "with dirpath: write the report to dirpath/fit-FILENAME.txt instead of stdout"),
    SWI_OPTION(STRING, struct functions, line_count_restriction,
               "how many functions of each action to show: a number of lines or, with a decimal "
               "point, a share of all its functions",
               .fallback = "1.0"),
    SWI_OPTION(STRING, struct functions, sort,
               "order of the functions: calls, pcalls, tottime, cumulative, filename, line, name, "
               "nfl or stdname",
               .fallback = "cumulative"),
    SWI_OPTION(BOOL, struct functions, dump_stats,
               "write fit-ACTION.prof for each action, for snakeviz and pstats",
               .fallback = "false"),
    SWI_OPTION(
        LIST, struct functions, formats,
        "write whole.* and ACTION.* in these formats: prof, folded, speedscope, callgrind, pprof"),
    {.name = NULL},
};

/* Returns the function of the library, if it is linked or preloaded. */
static const char *(*probe_file(void))(void)
{
    const char *(*file)(void);
    *(void **)&file = dlsym(RTLD_DEFAULT, "sw_probe_file");
    return file;
}

static int functions_open(void *state, struct sw_sink *sink, struct sw_error *err)
{
    struct functions *functions = state;
    (void)err;
    functions->sink = sink;
    functions->stage = "";
    if (!sink->run->replayed && !probe_file())
        sw_sink_say(sink, SW_WARNING,
                    "no function is profiled, for libstepwatch-functions is not in this program: "
                    "start it with \"stepwatch run -- PROGRAM\", or link it with \"pkg-config "
                    "--libs stepwatch-functions\"");
    return 0;
}

/* ---- files ---- */

/* The files to be written. */
struct output {
    const struct functions *functions;
    const struct profile *profile;
    char *folder;
    char *name; /* name of the files: stage, filename and rank, with "-" between them */
    struct sw_error *err;
};

static int no_memory(const struct output *output)
{
    return sw_error_set(output->err, SW_ENOMEM, "not enough memory for a function profile");
}

/* Writes a text to a file and frees it. NULL: out of memory. */
static int text_write(const struct output *output, const char *path, char *text, size_t size)
{
    int rc = text ? sw_sink_replace(output->functions->sink, path, text, size, output->err)
                  : no_memory(output);
    free(text);
    return rc;
}

static int tree_write(const struct output *output, const struct tree *tree, const char *name,
                      const struct export_format *format, const char *path)
{
    struct exported_run about = {name, output->profile->program, tree->sampled};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool fine = out && format->write(out, tree, &about);
    if (out && fclose(out) != 0)
        fine = false;
    if (fine)
        return text_write(output, path, text, size);
    free(text);
    return no_memory(output);
}

static bool is_listed(const char *const *list, const char *name)
{
    while (list && *list && strcmp(*list, name) != 0)
        list++;
    return list && *list;
}

/* prefix: of the file name, for a dump; "" otherwise. stem: the rest, without its ending. */
static int format_write(const struct output *output, const struct tree *tree, const char *prefix,
                        const char *name, const char *stem, const struct export_format *format)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s%s%s%s", output->folder, prefix, *prefix ? "-" : "", stem,
                 format->ending) < 0)
        path = NULL;
    int rc = path ? tree_write(output, tree, name, format, path) : no_memory(output);
    free(path);
    return rc;
}

/* Writes an action, or the whole. Empty profiles are left out, because pstats refuses them. */
static int action_write(const struct output *output, int number, const char *name, const char *stem)
{
    const struct functions *functions = output->functions;
    struct tree tree;
    bool fine = tree_make(&tree, output->profile, number);
    int rc = fine ? 0 : no_memory(output);
    for (const struct export_format *format = export_formats; format->name && rc == 0; format++)
        if (tree.stats.count && is_listed(functions->formats, format->name))
            rc = format_write(output, &tree, "", name, stem, format);
    if (rc == 0 && tree.stats.count && functions->dump_stats && number != PROFILE_WHOLE)
        rc = format_write(output, &tree, output->name, name, stem, export_formats);
    tree_free(&tree);
    return rc;
}

static int files_write(const struct output *output)
{
    const struct profile *profile = output->profile;
    if (!output->functions->formats && !output->functions->dump_stats)
        return 0;
    struct swi_map taken = {0};
    int rc = action_write(output, PROFILE_WHOLE, "whole", "whole");
    for (size_t i = 0; i < profile->action_count && rc == 0; i++) {
        const struct action *action = &profile->action[i];
        char *stem = function_file_name(&taken, action->name);
        rc = stem ? action_write(output, action->number, action->name, stem) : no_memory(output);
        free(stem);
    }
    swi_map_free(&taken);
    return rc;
}

/* ---- the report ---- */

static bool has_ranks(const struct sw_run *run)
{
    return run->world_size > 1;
}

static int report_write(const struct output *output)
{
    const struct functions *functions = output->functions;
    const struct sw_run *run = functions->sink->run;
    const char *sort[] = {functions->sort, NULL};
    const char *lines[] = {functions->line_count_restriction, NULL};
    struct profile_text how = {sort, lines, functions->stage, has_ranks(run) ? run->rank : -1};
    bool to_file = functions->dirpath && functions->filename && *functions->filename;
    char *text = NULL, *path = NULL;
    size_t size = 0;
    if (!to_file && has_ranks(run) && run->rank > 0 && run->rank_certain)
        return 0;
    FILE *out = open_memstream(&text, &size);
    bool fine = out && profile_text_print(out, output->profile, &how);
    if (out && fclose(out) != 0)
        fine = false;
    if (!to_file)
        path = strdup("-");
    else if (asprintf(&path, "%s/%s.txt", functions->dirpath, output->name) < 0)
        path = NULL;
    if (!fine || !path) {
        free(text);
        text = NULL;
    }
    int rc = text_write(output, path, text, size);
    free(path);
    return rc;
}

/* ---- the end of the run ---- */

static char *folder_of(const struct functions *functions, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (functions->dirpath)
        return strdup(functions->dirpath);
    return slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

/* Returns a name like fit-perf_logs-0, without parts that do not exist. */
static char *name_of(const struct functions *functions)
{
    const struct sw_run *run = functions->sink->run;
    const char *stage = functions->stage;
    char *file = file_name_like_lightning(functions->filename ? functions->filename : "");
    char rank[32] = "", *name = NULL;
    if (!file)
        return NULL;
    if (has_ranks(run))
        snprintf(rank, sizeof rank, "-%" PRId64,
                 run->local_rank >= 0 ? run->local_rank : run->rank);
    if (asprintf(&name, "%s%s%s%s", stage, *stage && *file ? "-" : "", file, rank) < 0)
        name = NULL;
    for (size_t i = 0; name && stage[i]; i++)
        name[i] = (char)(stage[i] - 'A' + 'a'); /* FIT, VALIDATE */
    free(file);
    return name;
}

/* Reports that no function was found. That is not an error. */
static void hooks_say(const struct functions *functions, const char *program)
{
    sw_sink_say(functions->sink, SW_WARNING,
                "%s has no function entry hooks, so no calls were counted: compile it with -g "
                "-finstrument-functions (gcc, C++: also "
                "-finstrument-functions-exclude-file-list=/usr/include), or sample it as it "
                "is: stepwatch run --functions=sample -- %s",
                program, program);
}

static void nothing_say(const struct functions *functions, const struct profile *profile)
{
    if (profile->times == FN_SAMPLE)
        sw_sink_say(functions->sink, SW_NOTE, "%s", profile_empty_text(profile));
    else
        hooks_say(functions, profile->program);
}

static int profile_show(const struct functions *functions, const struct profile *profile,
                        const char *path, struct sw_error *err)
{
    struct output output = {functions, profile, folder_of(functions, path), name_of(functions),
                            err};
    int rc = output.folder && output.name ? 0 : no_memory(&output);
    if (rc == 0)
        rc = report_write(&output);
    if (rc == 0)
        rc = files_write(&output);
    free(output.folder);
    free(output.name);
    return rc;
}

static int path_show(const struct functions *functions, const char *path, struct sw_error *err)
{
    struct profile_file file;
    struct profile profile = {0};
    int rc = profile_file_open(&file, path, err);
    if (rc == 0)
        rc = profile_file_read(&file, &profile, NULL, err);
    profile_file_close(&file);
    if (rc == 0 && profile.calls == 0)
        nothing_say(functions, &profile);
    else if (rc == 0)
        rc = profile_show(functions, &profile, path, err);
    profile_free(&profile);
    return rc;
}

static int run_show(const struct functions *functions, struct sw_error *err)
{
    const char *(*file)(void) = functions->sink->run->replayed ? NULL : probe_file();
    const char *path = file ? file() : NULL;
    if (path)
        return path_show(functions, path, err);
    if (file)
        hooks_say(functions, functions->sink->run->program);
    return 0;
}

/* Returns Lightning's name for what the fit did. */
static const char *stage_of(const struct sw_report *report)
{
    static const char *const name[] = {
        [SWI_STAGE_FIT] = "FIT", [SWI_STAGE_VALIDATE] = "VALIDATE", [SWI_STAGE_NONE] = ""};
    return name[swi_lightning_stage(report)];
}

static int functions_record(void *state, const struct sw_record *record, struct sw_error *err)
{
    struct functions *functions = state;
    if (record->type == SW_RECORD_REPORT) {
        functions->stage = stage_of(record->report);
        return 0;
    }
    return run_show(functions, err);
}

/* ---- before it is opened ---- */

static void functions_check(const void *state, struct sw_sink_check *check)
{
    const struct functions *functions = state;
    const char *sort[] = {functions->sort, NULL};
    const char *lines[] = {functions->line_count_restriction, NULL};
    const char *none[] = {NULL};
    struct pstats by = {.sort = sort, .restrict_to = none},
                  of = {.sort = none, .restrict_to = lines};
    SW_ERROR_SCOPE(err);
    if (pstats_check(&by, &err) < 0)
        sw_sink_mistake(check, "sort", "%s", sw_error_text(&err));
    if (pstats_check(&of, &err) < 0)
        sw_sink_mistake(check, "line_count_restriction", "%s", sw_error_text(&err));
    for (size_t i = 0; functions->formats && functions->formats[i]; i++)
        if (!export_format_find(functions->formats[i]))
            sw_sink_mistake(check, "formats",
                            "%s: expected prof, folded, speedscope, callgrind or pprof",
                            functions->formats[i]);
}

const struct sw_sink_plugin SW_SINK_SYMBOL = {
    SW_SINK_HEADER,
    .name = "functions",
    .version = "1.0",
    .license = "MIT",
    .summary = "which functions each action spends its time in, as text and for viewers",
    .wants = SW_WANT(SW_RECORD_REPORT) | SW_WANT(SW_RECORD_END),
    .queue = SW_QUEUE_DROP_NEWEST,
    .queue_records = 16,
    .options = options,
    .state_size = sizeof(struct functions),
    .open = functions_open,
    .record = functions_record,
    .check = functions_check,
};
