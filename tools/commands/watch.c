/* SPDX-License-Identifier: MIT */
/* stepwatch watch - a run while it is running, or all runs of a folder. */
#include "config.h"
#include "core/clock/now.h"
#include "tools/commands/commands.h"
#include "tools/output/print.h"
#include "tools/watch/screen.h"
#include "tools/watch/watched.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: stepwatch watch RUN.jsonl|FOLDER [--once] [--json] [--tail]\n\n"
    "Shows a run while it writes its run log: how far it is, samples per second, where a\n"
    "step spends its time, metrics, and where the run loses time. With FOLDER, shows all\n"
    "runs and ranks that have a log in it (*.jsonl, *.jsonl.gz, *.jsonl.zst). If a log does\n"
    "not exist yet, waits for it. Nothing that you do here affects the run.\n\n"
    "  --once  print the state of the run once, as plain lines, for scripts\n"
    "  --json  print the numbers as JSON: a line with an object every 5 s, or one document\n"
    "          with --once\n"
    "  --tail  read only the last epoch of a long log\n\n"
    "Keys: q quits; space holds the screen; m, a and f show metrics, actions and findings\n"
    "in full; left and right show the previous and the next run or rank; ? shows help. If\n"
    "standard output is not a terminal, or TERM is dumb, plain lines appear every 5 s.\n";

#define BLOCK_NS INT64_C(5000000000)
#define FRAME_NS INT64_C(500000000)
enum { WAIT_MS = 250, ROWS_LEAST = 8, COLUMNS_LEAST = 40 };

struct watching {
    struct folder folder;
    struct screen screen;
    size_t chosen;
    bool overview; /* all runs of the folder */
    bool held;
    bool utf8;
    bool json;
    enum screen_part part;
};

/* All that is there by now. */
static void read_all(struct folder *folder)
{
    while (folder_turn(folder))
        continue;
}

/* ---- a run as JSON --------------------------------------------------------------------------- */

static json_t *actions_json(const struct watched *run)
{
    struct watched_figures step = watched_figures(run, run->step_ns);
    json_t *all = json_array();
    for (size_t i = 0; i < run->actions; i++) {
        struct watched_figures figures = watched_figures(run, run->action[i].ns);
        json_array_append_new(
            all, json_pack("{s:o, s:o, s:o, s:o, s:o}", "action", text_json(run->action[i].name),
                           "mean_ns", text_json_number(figures.mean_ns), "p50_ns",
                           text_json_number(figures.p50_ns), "p99_ns",
                           text_json_number(figures.p99_ns), "share",
                           text_json_number(step.sum_ns > 0 ? figures.sum_ns / step.sum_ns : 0.0)));
    }
    return all;
}

static json_t *metrics_json(const struct watched *run)
{
    json_t *all = json_object();
    for (size_t i = 0; i < run->metrics; i++)
        json_object_set_new_nocheck(all, run->metric[i].name,
                                    text_json_number(run->metric[i].newest));
    return all;
}

static json_t *findings_json(const struct watched *run)
{
    json_t *all = json_array();
    const char *text;
    for (size_t i = 0; (text = findings_text(run, i)) != NULL; i++)
        json_array_append_new(all, text_json(text));
    return all;
}

/* The caller's; NULL if out of memory. */
static json_t *run_json(const struct watched *run)
{
    static const char *const states[] = {"waiting", "running", "silent", "finished", "dead"};
    double eta = run->finished ? -1 : watched_eta(run);
    struct watched_figures step = watched_figures(run, run->step_ns);
    return json_pack(
        "{s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:I}",
        "log", text_json(run->follow.path), "name", text_json(run->name), "state",
        states[watched_state(run)], "host", text_json(run->host), "pid", (json_int_t)run->pid,
        "rank", (json_int_t)run->rank, "world_size", (json_int_t)run->world_size, "elapsed_s",
        (double)run->t_ns * 1e-9, "epoch", (json_int_t)run->epoch, "step", (json_int_t)run->step,
        "steps_expected", (json_int_t)run->expected, "eta_s",
        isfinite(eta) && eta >= 0 ? json_real(eta) : json_null(), "samples_per_s",
        text_json_number(run->rate), "step_mean_ns", text_json_number(step.mean_ns), "step_p99_ns",
        text_json_number(step.p99_ns), "actions", actions_json(run), "metrics", metrics_json(run),
        "findings", findings_json(run), "damaged", (json_int_t)run->damaged);
}

/* ---- plain lines ----------------------------------------------------------------------------- */

static json_t *runs_json(const struct folder *folder)
{
    json_t *all = json_array();
    for (size_t i = 0; all && i < folder->count; i++)
        json_array_append_new(all, run_json(folder->run[i]));
    return json_pack("{s:o}", "runs", all);
}

static void blocks_print(const struct watching *watching)
{
    struct swi_text text = {0};
    for (size_t i = 0; i < watching->folder.count; i++) {
        swi_text_put(&text, i ? "\n" : "");
        screen_block(&text, watching->folder.run[i], watching->utf8);
    }
    if (text.data)
        fputs(text.data, stdout);
    fflush(stdout);
    swi_text_free(&text);
}

static void findings_update_all(struct folder *folder, bool now)
{
    for (size_t i = 0; i < folder->count; i++)
        findings_update(folder->run[i], now);
}

/* Returns why there is nothing to show, or NULL. A log that is still empty has a run that waits. */
static const char *nothing_of(const struct folder *folder)
{
    const struct watched *run = folder->count ? folder->run[0] : NULL;
    if (folder->is_folder)
        return run ? NULL : "has no run log (*.jsonl)";
    if (!run || run->follow.bytes.fd < 0)
        return strerror(access(folder->path, R_OK) < 0 ? errno : ENOENT);
    return run->known || !run->damaged ? NULL : "does not begin as a run log does";
}

static int once(struct watching *watching)
{
    read_all(&watching->folder);
    const char *nothing = nothing_of(&watching->folder);
    if (nothing) {
        say("watch", "%s: %s", watching->folder.path, nothing);
        return EXIT_FAILED;
    }
    findings_update_all(&watching->folder, true);
    if (watching->json)
        return json_show("watch", runs_json(&watching->folder)) ? EXIT_FINE : EXIT_FAILED;
    blocks_print(watching);
    return EXIT_FINE;
}

static bool all_finished(const struct folder *folder)
{
    size_t finished = 0;
    for (size_t i = 0; i < folder->count; i++)
        finished += watched_state(folder->run[i]) >= WATCHED_FINISHED;
    return folder->count > 0 && finished == folder->count;
}

/* Until all runs have ended, or nobody reads any more. */
static int blocks_loop(struct watching *watching)
{
    for (;;) {
        int64_t next_ns = swi_now_ns() + BLOCK_NS;
        read_all(&watching->folder);
        findings_update_all(&watching->folder, false);
        if (!watching->json)
            blocks_print(watching);
        else if (!json_show_line("watch", runs_json(&watching->folder)))
            return EXIT_FAILED;
        if (ferror(stdout) || all_finished(&watching->folder))
            return EXIT_FINE;
        if (!watching->json)
            fputs("\n", stdout);
        while (swi_now_ns() < next_ns) {
            nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000}, NULL);
            folder_turn(&watching->folder);
        }
    }
}

/* ---- a whole screen -------------------------------------------------------------------------- */

#ifdef HAVE_NCURSES

static const char keys[] =
    "q quit  space hold  m metrics  a actions  f findings  left right run  ? help";

/* A screen too small for the parts gets the plain lines. */
static void small_show(struct watching *watching, const struct watched *run)
{
    struct swi_text text = {0};
    screen_block(&text, run, watching->utf8);
    for (char *line = text.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        swi_text_add(screen_add(&watching->screen, SCREEN_PLAIN), line, (size_t)(next - line));
        next += *next == '\n';
    }
    swi_text_free(&text);
}

static void show(struct watching *watching)
{
    struct folder *folder = &watching->folder;
    size_t rows, columns;
    terminal_size(&rows, &columns);
    screen_clear(&watching->screen, rows, columns, watching->utf8);
    if (watching->chosen >= folder->count)
        watching->chosen = 0;
    if (folder->count == 0)
        swi_text_put(screen_add(&watching->screen, SCREEN_PLAIN), "Waiting for a run log ...");
    else if (watching->overview)
        screen_runs(&watching->screen, folder->run, folder->count, watching->chosen,
                    "q quit  up down choose  Enter show");
    else if (rows < ROWS_LEAST || columns < COLUMNS_LEAST)
        small_show(watching, folder->run[watching->chosen]);
    else
        screen_run(&watching->screen, folder->run[watching->chosen], watching->part, keys);
    terminal_show(&watching->screen);
}

static void run_change(struct watching *watching, int by)
{
    size_t count = watching->folder.count;
    if (count > 0)
        watching->chosen = (watching->chosen + count + (size_t)(by + (int)count)) % count;
}

static enum screen_part part_of(int key)
{
    return key == 'm'   ? SCREEN_METRICS
           : key == 'a' ? SCREEN_ACTIONS
           : key == 'f' ? SCREEN_FINDINGS
                        : SCREEN_HELP;
}

/* False: the end. */
static bool key_take(struct watching *watching, int key)
{
    enum { ESCAPE = 27, CONTROL_C = 3 };
    switch (key) {
    case 'q':
    case CONTROL_C:
        return false;
    case ' ':
        watching->held = !watching->held;
        break;
    case 'm':
    case 'a':
    case 'f':
    case '?':
        watching->part = watching->part == part_of(key) ? SCREEN_ALL : part_of(key);
        break;
    case KEY_TO_LEFT:
    case KEY_TO_UP:
        run_change(watching, -1);
        break;
    case KEY_TO_RIGHT:
    case KEY_TO_DOWN:
        run_change(watching, 1);
        break;
    case '\n':
        watching->overview = false;
        break;
    case ESCAPE:
        watching->overview = watching->folder.is_folder;
        watching->part = SCREEN_ALL;
        break;
    default:
        break;
    }
    return true;
}

static volatile sig_atomic_t ended;

static void end(int signal)
{
    ended = signal;
}

/* A frame at most each half a second, unless a key asks for one, and only when something changed:
 * what is silent changes, too. */
static void watch_loop(struct watching *watching)
{
    int64_t shown_ns = 0;
    bool changed = true;
    int key = KEY_RESIZED;
    do {
        int64_t now_ns = swi_now_ns();
        changed = folder_turn(&watching->folder) || changed;
        if (!watching->held && !watching->overview && watching->chosen < watching->folder.count)
            changed = findings_update(watching->folder.run[watching->chosen], false) || changed;
        bool due = now_ns - shown_ns >= (changed ? FRAME_NS : 2 * FRAME_NS);
        if (key != KEY_NOTHING || (due && !watching->held)) {
            show(watching);
            shown_ns = now_ns;
            changed = false;
        }
        key = terminal_key(WAIT_MS);
    } while (!ended && key_take(watching, key));
}

static int interactive(struct watching *watching)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT};
    if (!terminal_open())
        return blocks_loop(watching);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], end);
    watching->overview = watching->folder.is_folder;
    watch_loop(watching);
    terminal_close();
    return EXIT_FINE;
}

#else

static int interactive(struct watching *watching)
{
    say("watch", "this stepwatch was built without ncursesw: plain lines every 5 s instead");
    return blocks_loop(watching);
}

#endif

static bool is_interactive(void)
{
    const char *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && term && *term &&
           strcmp(term, "dumb") != 0;
}

static int watch(struct watching *watching, const char *path, bool is_once, bool tail)
{
    if (!folder_open(&watching->folder, path, tail)) {
        say("watch", "not enough memory");
        return EXIT_FAILED;
    }
    SW_ERROR_SCOPE(err);
    folder_turn(&watching->folder);
    if (watching->folder.count == 1 &&
        swi_log_bytes_check(&watching->folder.run[0]->follow.bytes, path, &err) < 0) {
        say_error("watch", &err);
        return EXIT_FAILED;
    }
    if (is_once)
        return once(watching);
    return watching->json || !is_interactive() ? blocks_loop(watching) : interactive(watching);
}

static int run(int argc, char **argv)
{
    bool is_once = false, json = false, tail = false;
    const struct argument arguments[] = {
        {.name = "once", .flag = &is_once},
        {.name = "json", .flag = &json},
        {.name = "tail", .flag = &tail},
    };
    arguments_take(&watch_command, arguments, 3, &argc, argv);
    if (argc != 2)
        return usage_error(&watch_command, "expected one RUN.jsonl or FOLDER, found %d", argc - 1);
    struct watching *watching = calloc(1, sizeof *watching);
    if (!watching) {
        say("watch", "not enough memory");
        return EXIT_FAILED;
    }
    setlocale(LC_CTYPE, "");
    watching->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    watching->json = json;
    int rc = watch(watching, argv[1], is_once, tail);
    folder_close(&watching->folder);
    screen_free(&watching->screen);
    free(watching);
    return rc;
}

const struct command watch_command = {"watch", "shows a run while it is running", help, run};
