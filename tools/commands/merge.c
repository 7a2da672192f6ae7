/* SPDX-License-Identifier: MIT */
/* stepwatch merge - one answer from the run logs of all ranks: docs/ranks.md. */
#include "core/text/vec.h"
#include "tools/commands/commands.h"
#include "tools/export/exporting.h"
#include "tools/log/log_lines.h"
#include "tools/merge/merged.h"
#include "tools/output/print.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the options ----------------------------------------------------------------------------- */

static const char help[] =
    "usage: stepwatch merge RUN.jsonl|FOLDER... [--from FILE] [--format FORMAT]\n"
    "                       [--by rank|node] [--group-by shape] [--wait ACTION]\n"
    "                       [--trace OUT] [--steps] [--force] [--strict] [--json]\n\n"
    "Merges the run logs of all ranks of a distributed run, or their summaries\n"
    "(detail: summary), into one report. For each action, it shows the fastest rank, the\n"
    "mean and the slowest rank. It also shows how much time is lost because ranks wait for\n"
    "each other, and which rank keeps the others waiting. FOLDER means all *.jsonl,\n"
    "*.jsonl.gz and *.jsonl.zst files in it.\n\n"
    "  --from FILE       a file with the path of a run log or folder in each line;\n"
    "                    - is standard input\n"
    "  --format FORMAT   table (default), markdown, csv, json, or html\n"
    "  --by rank|node    compare ranks (default), or nodes: the means of their ranks\n"
    "  --group-by WHAT   shape: a row for each shape of an action's input; action\n"
    "                    (default)\n"
    "  --wait ACTION     an action that waits for other ranks, such as allreduce; can\n"
    "                    be given several times (default: the actions that the logs name)\n"
    "  --trace OUT       also write a timeline with a process for each rank, for Perfetto\n"
    "                    and Chrome; the logs must have detail: regions\n"
    "  --steps           read the steps of all logs, even if they have more than 4 GiB\n"
    "                    together (default: merge only the reports of such logs)\n"
    "  --force           merge logs even if their jobs, runs or numbers of ranks differ\n"
    "  --strict          exit with status 1 if a rank is missing, did not finish or\n"
    "                    lost lines\n"
    "  --json            the same as --format json\n";

/* ---- which logs ---- */

struct paths {
    size_t count;
    char **item;
    int odd;     /* folders without a log */
    bool failed; /* out of memory */
};

static void path_add(struct paths *paths, char *path)
{
    bool fits = path && swi_vec_room(&paths->item, paths->count, sizeof *paths->item);
    if (fits)
        paths->item[paths->count++] = path;
    else
        free(path);
    paths->failed = paths->failed || !fits;
}

static int is_log(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && log_is_name(entry->d_name);
}

/* Adds the logs of a folder. Returns how many, or -1 if the path is not a folder. */
static int folder_add(struct paths *paths, const char *folder)
{
    struct dirent **entry;
    int count = scandir(folder, &entry, is_log, alphasort);
    if (count < 0)
        return -1;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, entry[i]->d_name) < 0)
            path = NULL;
        path_add(paths, path);
        free(entry[i]);
    }
    free(entry);
    return count;
}

static void argument_add(struct paths *paths, const char *path)
{
    int files = folder_add(paths, path);
    if (files < 0)
        path_add(paths, strdup(path));
    else if (files == 0) {
        say("merge", "%s: has no *.jsonl file", path);
        paths->odd++;
    }
}

/* Adds the paths in a file, one per line. Returns false and prints why if the file cannot be read.
 */
static bool list_add(struct paths *paths, const char *path)
{
    errno = 0;
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    while (file && getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (*line)
            argument_add(paths, line);
    }
    bool fine = file && !ferror(file);
    if (!fine)
        say("merge", "--from: %s: cannot be read: %s", path, strerror(errno));
    free(line);
    if (file && file != stdin)
        fclose(file);
    return fine;
}

/* ---- printing ---- */

static const struct merge_form {
    const char *name;
    void (*print)(const struct merged *merged);
} formats[] = {{"table", merged_table}, {"markdown", merged_markdown}, {"csv", merged_csv},
               {"json", merged_json},   {"html", merged_html},         {NULL, NULL}};

static const struct merge_form *format_find(const char *name)
{
    for (const struct merge_form *format = formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

static bool is_complete(const struct merged *merged)
{
    bool complete = (int64_t)merged->count == merged->ranks.world_size;
    for (size_t i = 0; i < merged->count; i++)
        complete = complete && !(merged->log[i].marks & (LOG_UNFINISHED | LOG_TORN | LOG_DAMAGED));
    return complete;
}

/* Writes the timeline of the merged logs. Returns whether that succeeded. */
static bool trace_write(const struct merged *merged, const char *output)
{
    SW_ERROR_SCOPE(err);
    struct export_task task = {.format = "chrome", .output = output, .count = merged->count};
    task.path = calloc(merged->count + 1, sizeof(*task.path));
    for (size_t i = 0; task.path && i < merged->count; i++)
        task.path[i] = merged->log[i].path;
    int rc = task.path ? export_logs(&task, &err)
                       : sw_error_set(&err, SW_ENOMEM, "not enough memory for the timeline");
    if (rc < 0)
        say("merge", "--trace: %s", sw_error_text(&err));
    free(task.path);
    return rc == 0;
}

static int merge(const struct paths *paths, const struct merge_form *format,
                 const struct merge_options *options, const char *trace, bool strict)
{
    struct merged merged;
    SW_ERROR_SCOPE(err);
    int rc = merge_logs(&merged, paths->item, paths->count, options, &err);
    if (rc < 0)
        say_error("merge", &err);
    else
        format->print(&merged);
    bool traced = rc < 0 || !trace || trace_write(&merged, trace);
    bool odd = rc < 0 || !traced || merged.odd || paths->odd || (strict && !is_complete(&merged));
    merged_fini(&merged);
    return odd ? EXIT_FAILED : EXIT_FINE;
}

/* ---- the command line ---- */

static int paths_take(struct paths *paths, int argc, char **argv, const char *const *from)
{
    for (int i = 1; i < argc; i++)
        argument_add(paths, argv[i]);
    for (; *from; from++)
        if (!list_add(paths, *from))
            return EXIT_FAILED;
    if (paths->failed)
        say("merge", "not enough memory for the paths of the logs");
    return paths->failed ? EXIT_FAILED : EXIT_FINE;
}

static int run(int argc, char **argv)
{
    const char *format = NULL, *by = "rank", *group = "action", *trace = NULL,
               *wait[ARGUMENT_LIST + 1] = {NULL};
    const char *from[ARGUMENT_LIST + 1] = {NULL};
    bool json = false, strict = false;
    struct merge_options options = {.wait = wait};
    struct paths paths = {0};
    const struct argument arguments[] = {{.name = "format", .value = &format},
                                         {.name = "from", .list = from},
                                         {.name = "by", .value = &by},
                                         {.name = "group-by", .value = &group},
                                         {.name = "wait", .list = wait},
                                         {.name = "trace", .value = &trace},
                                         {.name = "steps", .flag = &options.steps},
                                         {.name = "force", .flag = &options.force},
                                         {.name = "strict", .flag = &strict},
                                         {.name = "json", .flag = &json}};
    arguments_take(&merge_command, arguments, sizeof arguments / sizeof *arguments, &argc, argv);
    if (argc < 2 && !*from)
        return usage_error(&merge_command, "expected a run log or a folder");
    if (json && format)
        return usage_error(&merge_command, "--json and --format cannot be used together");
    format = json ? "json" : format ? format : "table";
    if (!format_find(format))
        return usage_error(&merge_command,
                           "--format: \"%s\" is not one of table, markdown, csv, json, html",
                           format);
    options.by_node = strcmp(by, "node") == 0;
    if (!options.by_node && strcmp(by, "rank") != 0)
        return usage_error(&merge_command, "--by: \"%s\" is not one of rank, node", by);
    options.by_shape = strcmp(group, "shape") == 0;
    if (!options.by_shape && strcmp(group, "action") != 0)
        return usage_error(&merge_command, "--group-by: \"%s\" is not one of action, shape", group);
    int rc = paths_take(&paths, argc, argv, from);
    if (rc == EXIT_FINE)
        rc = merge(&paths, format_find(format), &options, trace, strict);
    while (paths.count)
        free(paths.item[--paths.count]);
    free(paths.item);
    return rc;
}

const struct command merge_command = {"merge", "makes one report of all ranks of a distributed run",
                                      help, run};
