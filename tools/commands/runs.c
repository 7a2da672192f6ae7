/* SPDX-License-Identifier: MIT */
/* stepwatch runs - lists recorded runs. */
#include "core/text/buffer.h"
#include "core/text/characters.h"
#include "core/text/escape.h"
#include "tools/commands/commands.h"
#include "tools/output/print.h"
#include "tools/runs/recorded_runs.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- as text --------------------------------------------------------------------------------- */

enum { NAME, STATE, STEPS, RATE, DURATION, STARTED, VALUES, PATH, COLUMNS };

static const char *const titles[COLUMNS] = {"NAME",     "STATE",   "STEPS",  "SAMPLES/S",
                                            "DURATION", "STARTED", "VALUES", "PATH"};

/* How much of it is shown. */
enum { NAME_MOST = 32, VALUES_MOST = 3, TEXT_MOST = 4096 };

/* Appends a text without control characters, cut after so many bytes at the end of a character. */
static void text_add(struct swi_text *cell, const char *text, size_t most)
{
    struct swi_text shown = {0};
    swi_escape_terminal(&shown, text);
    size_t size = shown.data ? swi_utf8_fit(shown.data, most) : 0;
    if (shown.data)
        swi_text_add(cell, shown.data, size);
    if (size < shown.size)
        swi_text_put(cell, "…");
    swi_text_free(&shown);
}

static void duration_add(struct swi_text *cell, double seconds)
{
    char text[TEXT_NUMBER];
    if (!(seconds >= 60 && seconds < 1e12)) {
        swi_text_put(cell, text_time(text, seconds * 1e9));
        return;
    }
    int64_t all = (int64_t)seconds;
    swi_text_format(cell, "%" PRId64 ":%02d:%02d", all / 3600, (int)(all / 60 % 60),
                    (int)(all % 60));
}

static void started_add(struct swi_text *cell, double seconds)
{
    char text[32] = "-";
    time_t second = fabs(seconds) < 1e11 ? (time_t)seconds : 0;
    struct tm local;
    if (fabs(seconds) < 1e11 && localtime_r(&second, &local))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    swi_text_put(cell, text);
}

static void values_add(struct swi_text *cell, const struct recorded_run *run)
{
    for (size_t i = 0; i < run->values && i < VALUES_MOST; i++) {
        swi_text_put(cell, i ? " " : "");
        text_add(cell, run->value[i].name, NAME_MOST);
        swi_text_format(cell, "=%.4g", run->value[i].value);
    }
    if (run->values > VALUES_MOST)
        swi_text_put(cell, " …");
}

static void state_add(struct swi_text *cell, const struct recorded_run *run)
{
    swi_text_put(cell, run_state_name(run->state));
    if (run->world_size > 1 && run->ranks == 1)
        swi_text_format(cell, " (rank %" PRId64 " of %" PRId64 ")", run->rank, run->world_size);
    else if (run->world_size > 1)
        swi_text_format(cell, " (%" PRId64 "/%" PRId64 " ranks)", run->ranks, run->world_size);
}

static void cell_make(struct swi_text *cell, const struct recorded_run *run, int column)
{
    char text[TEXT_NUMBER];
    switch (column) {
    case NAME:
        text_add(cell, run->name ? run->name : "", NAME_MOST);
        break;
    case STATE:
        state_add(cell, run);
        break;
    case STEPS:
        swi_text_put(cell, run->steps < 0 ? "-" : text_count(text, (double)run->steps));
        break;
    case RATE:
        swi_text_put(cell, text_rate(text, run->samples_per_s));
        break;
    case DURATION:
        duration_add(cell, run->duration_s);
        break;
    case STARTED:
        started_add(cell, run->started_s);
        break;
    case VALUES:
        values_add(cell, run);
        break;
    default:
        text_add(cell, run->path, TEXT_MOST);
    }
    if (!cell->size)
        swi_text_put(cell, "-");
}

static bool is_number(int column)
{
    return column == STEPS || column == RATE || column == DURATION;
}

static void cell_print(const char *text, int column, size_t width)
{
    int blanks = (int)(width - swi_text_width(text));
    if (column == COLUMNS - 1)
        printf("%s\n", text);
    else if (is_number(column))
        printf("%*s%s  ", blanks, "", text);
    else
        printf("%s%*s  ", text, blanks, "");
}

/* Twice over all cells: for the widths, and to print. */
static void recorded_runs_print(const struct recorded_runs *runs)
{
    size_t width[COLUMNS];
    for (int c = 0; c < COLUMNS; c++)
        width[c] = strlen(titles[c]);
    for (int print = 0; print < 2; print++) {
        for (int c = 0; c < COLUMNS && print; c++)
            cell_print(titles[c], c, width[c]);
        for (size_t i = 0; i < runs->count; i++)
            for (int c = 0; c < COLUMNS; c++) {
                struct swi_text cell = {0};
                cell_make(&cell, runs->item[i], c);
                const char *text = cell.data ? cell.data : "";
                size_t wide = swi_text_width(text);
                if (print)
                    cell_print(text, c, width[c]);
                else
                    width[c] = wide > width[c] ? wide : width[c];
                swi_text_free(&cell);
            }
    }
}

/* Prints the path of each log and database once. */
static void recorded_runs_print_paths(const struct recorded_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        bool again = i && strcmp(runs->item[i - 1]->path, runs->item[i]->path) == 0;
        if (!again)
            printf("%s\n", runs->item[i]->path);
    }
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static json_t *text(const char *text)
{
    return text ? text_json(text) : json_null();
}

static json_t *number(double value)
{
    return isnan(value) ? json_null() : text_json_number(value);
}

static json_t *count(int64_t value)
{
    return value < 0 ? json_null() : json_integer(value);
}

static json_t *values_json(const struct recorded_run *run)
{
    json_t *values = json_object();
    for (size_t i = 0; i < run->values; i++) {
        json_t *name = text_json(run->value[i].name);
        if (name)
            json_object_set_new(values, json_string_value(name),
                                text_json_number(run->value[i].value));
        json_decref(name);
    }
    return values;
}

static json_t *run_json_of(const struct recorded_run *run)
{
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:o, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, "
        "s:o, s:I, s:b, s:o}",
        "path", text(run->path), "kind", run->uid ? "database" : "log", "uid", text(run->uid),
        "name", text(run->name), "program", text(run->program), "host", text(run->host), "pid",
        (json_int_t)run->pid, "state", run_state_name(run->state), "cause", text(run->cause),
        "exit_status", count(run->exit_status), "started_s", number(run->started_s), "duration_s",
        number(run->duration_s), "steps", count(run->steps), "samples_per_s",
        number(run->samples_per_s), "rank", (json_int_t)run->rank, "world_size",
        (json_int_t)run->world_size, "ranks", (json_int_t)run->ranks, "detail", text(run->detail),
        "size_bytes", (json_int_t)run->bytes, "torn", run->torn, "values", values_json(run));
}

/* Returns an array, or NULL if out of memory. */
static json_t *recorded_runs_json(const struct recorded_runs *runs)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < runs->count; i++)
        if (json_array_append_new(list, run_json_of(runs->item[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

/* ---- the options ----------------------------------------------------------------------------- */

static const char help[] =
    "usage: stepwatch runs [PATH]... [--state STATE]... [--name PATTERN] [--since AGE]\n"
    "                      [--sort KEY] [--reverse] [--limit N] [--ranks] [--paths] [--json]\n\n"
    "Lists recorded runs: name, state, steps, samples per second, duration, start and newest\n"
    "values. PATH is a run log (.jsonl, .jsonl.gz, .jsonl.zst), a database of the sink sqlite, or "
    "a\n"
    "folder, which is searched with the folders in it (default: runs, or this folder if there\n"
    "is none). Of a log, only the first line and the last 64 KiB are read. A run is running while "
    "it "
    "holds\n"
    "the lock of its log; if its log has no end and no lock, it was killed. Exit status: 0;\n"
    "1 if a path cannot be read.\n\n"
    "  --state STATE   only runs that are running, finished, failed, interrupted or killed;\n"
    "                  can be given several times\n"
    "  --name PATTERN  only runs with such a name, as in a shell: 'digits-*'\n"
    "  --since AGE     only runs that began in this time: 30m, 12h, 7d\n"
    "  --sort KEY      started (default), duration, steps, samples_per_s or a value such as\n"
    "                  loss, the largest first; name, state or path\n"
    "  --reverse       reverse the order\n"
    "  --limit N       only the first N\n"
    "  --ranks         a line for each rank, instead of one for all ranks of a run\n"
    "  --paths         print only the paths\n"
    "  --json          print everything that is known of them as JSON\n";

/* Which runs are shown. */
struct wanted {
    const char *state[ARGUMENT_LIST];
    const char *name, *sort;
    double since_s;
    int64_t limit;
    bool reverse, ranks;
};

static bool is_wanted(const struct wanted *wanted, const struct recorded_run *run)
{
    bool state = !wanted->state[0];
    for (int i = 0; wanted->state[i]; i++)
        state = state || strcmp(wanted->state[i], run_state_name(run->state)) == 0;
    return state && !(run->started_s < wanted->since_s) &&
           (!wanted->name || fnmatch(wanted->name, run->name ? run->name : "", 0) == 0);
}

static void runs_choose(struct recorded_runs *runs, const struct wanted *wanted)
{
    size_t kept = 0;
    if (!wanted->ranks)
        recorded_runs_join(runs);
    for (size_t i = 0; i < runs->count; i++)
        if (is_wanted(wanted, runs->item[i]))
            runs->item[kept++] = runs->item[i];
        else
            recorded_run_free(runs->item[i]);
    runs->count = kept;
    recorded_runs_sort(runs, wanted->sort, wanted->reverse);
    for (; (int64_t)runs->count > wanted->limit; runs->count--)
        recorded_run_free(runs->item[runs->count - 1]);
}

/* ---- the command line ------------------------------------------------------------------------ */

static bool states_check(const char *const *state)
{
    for (; *state; state++) {
        bool known = false;
        for (int i = 0; i < RUN_STATES; i++)
            known = known || strcmp(*state, run_state_name((enum run_state)i)) == 0;
        if (!known)
            return usage_error(&runs_command,
                               "--state %s is not one of running, finished, failed, interrupted, "
                               "killed",
                               *state),
                   false;
    }
    return true;
}

/* Parses 90s, 30m, 12h or 7d. */
static bool since_take(const char *text, double *since_s)
{
    static const char units[] = "smhd";
    static const double seconds[] = {1, 60, 3600, 86400};
    char *end;
    *since_s = -1e300;
    if (!text)
        return true;
    double age = strtod(text, &end);
    const char *unit = *end && !end[1] ? strchr(units, *end) : NULL;
    if (end == text || !unit || !(age >= 0))
        return false;
    *since_s = (double)time(NULL) - age * seconds[unit - units];
    return true;
}

static void runs_find(struct recorded_runs *runs, int count, char **path)
{
    static char usual[] = "runs", here[] = ".";
    char *fallback = access(usual, F_OK) == 0 ? usual : here;
    for (int i = 0; i < (count ? count : 1); i++) {
        SW_ERROR_SCOPE(err);
        if (recorded_runs_find(runs, count ? path[i] : fallback, &err) == 0)
            continue;
        say("runs", "%s", sw_error_text(&err));
        runs->unreadable++;
    }
    if (!runs->count && !runs->unreadable)
        say("runs", "%s: has no run log (*.jsonl) and no database of the sink sqlite",
            count ? path[0] : fallback);
}

static int runs_show(struct recorded_runs *runs, const struct wanted *wanted, bool paths, bool json)
{
    bool fine = !runs->unreadable;
    if (!recorded_runs_has_key(runs, wanted->sort) && runs->count) {
        say("runs",
            "--sort %s: no run has such a value, and it is not one of started, duration, steps, "
            "samples_per_s, name, state, path",
            wanted->sort);
        return EXIT_FAILED;
    }
    runs_choose(runs, wanted);
    if (json)
        fine = json_show("runs", json_pack("{s:o}", "runs", recorded_runs_json(runs))) && fine;
    else if (paths)
        recorded_runs_print_paths(runs);
    else if (runs->count)
        recorded_runs_print(runs);
    return fine ? EXIT_FINE : EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    struct wanted wanted = {.sort = "started"};
    struct recorded_runs runs = {0};
    const char *limit = NULL, *since = NULL;
    bool paths = false, json = false;
    const struct argument arguments[] = {{.name = "state", .list = wanted.state},
                                         {.name = "name", .value = &wanted.name},
                                         {.name = "since", .value = &since},
                                         {.name = "sort", .value = &wanted.sort},
                                         {.name = "reverse", .flag = &wanted.reverse},
                                         {.name = "limit", .value = &limit},
                                         {.name = "ranks", .flag = &wanted.ranks},
                                         {.name = "paths", .flag = &paths},
                                         {.name = "json", .flag = &json}};
    arguments_take(&runs_command, arguments, sizeof arguments / sizeof *arguments, &argc, argv);
    setlocale(LC_CTYPE, "C.UTF-8"); /* for fnmatch(): a ? is a character, not a byte */
    if (!states_check(wanted.state))
        return EXIT_USAGE;
    wanted.limit = limit ? argument_number(limit, 0, INT64_MAX) : INT64_MAX;
    if (wanted.limit < 0)
        return usage_error(&runs_command, "--limit %s is not a number", limit);
    if (!since_take(since, &wanted.since_s))
        return usage_error(&runs_command, "--since %s: expected an age, like 30m, 12h or 7d",
                           since);
    if (paths && json)
        return usage_error(&runs_command, "--paths and --json cannot be used together");
    runs_find(&runs, argc - 1, argv + 1);
    int rc = runs_show(&runs, &wanted, paths, json);
    recorded_runs_free(&runs);
    return rc;
}

const struct command runs_command = {"runs", "lists recorded runs, and their state", help, run};
