/* SPDX-License-Identifier: MIT */
/* stepwatch runs - lists recorded runs. */
#include "tools/commands/arguments.h"
#include "tools/commands/commands.h"
#include "tools/output/print_json.h"
#include "tools/output/stderr.h"
#include "tools/runs/find_runs.h"
#include "tools/runs/recorded_runs_json.h"
#include "tools/runs/recorded_runs_text.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: stepwatch runs [PATH]... [--state STATE]... [--name PATTERN] [--since AGE]\n"
    "                      [--sort KEY] [--reverse] [--limit N] [--ranks] [--paths] [--json]\n\n"
    "Lists recorded runs: name, state, steps, samples per second, duration, start and newest\n"
    "values. PATH is a run log (.jsonl, .jsonl.gz), a database of the sink sqlite, or a folder,\n"
    "which is searched with the folders in it (default: runs, or this folder if there is\n"
    "none). Of a log, only the first line and the last 64 KiB are read. A run is running while it "
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
    size_t limit;
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
    for (; runs->count > wanted->limit; runs->count--)
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

static bool limit_take(const char *text, size_t *limit)
{
    char *end;
    *limit = SIZE_MAX;
    if (!text)
        return true;
    errno = 0;
    unsigned long number = strtoul(text, &end, 10);
    *limit = number;
    return *text >= '0' && *text <= '9' && !*end && !errno;
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
    int rc =
        arguments_take(&runs_command, arguments, sizeof arguments / sizeof *arguments, &argc, argv);
    if (rc)
        return rc < 0 ? EXIT_FINE : rc;
    if (!states_check(wanted.state))
        return EXIT_USAGE;
    if (!limit_take(limit, &wanted.limit))
        return usage_error(&runs_command, "--limit %s is not a number", limit);
    if (!since_take(since, &wanted.since_s))
        return usage_error(&runs_command, "--since %s: expected an age, like 30m, 12h or 7d",
                           since);
    if (paths && json)
        return usage_error(&runs_command, "--paths and --json cannot be used together");
    runs_find(&runs, argc - 1, argv + 1);
    rc = runs_show(&runs, &wanted, paths, json);
    recorded_runs_free(&runs);
    return rc;
}

const struct command runs_command = {"runs", "lists recorded runs, and their state", help, run};
