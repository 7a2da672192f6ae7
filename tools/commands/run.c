/* SPDX-License-Identifier: MIT */
/* stepwatch run - runs a program with a configuration, and prints where its report is. */
#include "core/process/object_file.h"
#include "core/text/map.h"
#include "core/text/names.h"
#include "tools/commands/commands.h"
#include "tools/console/console.h"
#include "tools/functions/files.h"
#include "tools/functions/preload.h"
#include "tools/log/run_replay.h"
#include "tools/output/print.h"

#include <stepwatch/error.h>
#include <stepwatch/inspect.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- counting the memory of a program ---- */

#define LIBRARY "libstepwatch-memory.so.1"

/* ---- the program ---- */

struct needs {
    bool libasan;
    bool library; /* it counts by itself */
};

static void needs_note(const char *library, void *arg)
{
    struct needs *needs = arg;
    needs->libasan |= strncmp(library, "libasan.so", 10) == 0;
    needs->library |= strcmp(library, LIBRARY) == 0;
}

static int refuse_static(const char *program, struct sw_error *err)
{
    return sw_error_set(
        err, SW_EINVAL,
        "%s is linked statically, so nothing can be preloaded into it; the program was not "
        "started\n"
        "  link it with libstepwatch-memory.a: cc -static ... $(pkg-config --static --libs "
        "stepwatch-memory)",
        program);
}

static int refuse_asan(const char *program, struct sw_error *err)
{
    return sw_error_set(
        err, SW_EINVAL,
        "%s needs libasan, which must be loaded first, so nothing can be preloaded into it; the "
        "program was not started\n"
        "  link it with libstepwatch-memory: cc -fsanitize=address ... $(pkg-config --libs "
        "stepwatch-memory)",
        program);
}

/* A program that cannot be started reports that itself. A script starts the program that is meant.
 */
static int program_check(const char *program, bool *counts, struct sw_error *err)
{
    char path[PATH_MAX];
    struct swi_object_file file;
    struct needs needs = {false, false};
    int rc = 0;
    if (!preload_program(program, path))
        return 0;
    if (!swi_object_file_open(&file, path)) {
        swi_object_file_close(&file);
        return 0;
    }
    swi_object_file_needs(&file, needs_note, &needs);
    bool loaded = swi_object_file_has_section(&file, ".interp");
    *counts = needs.library || (!loaded && swi_object_file_has(&file, "sw_memory_here", false));
    if (!*counts && !loaded)
        rc = refuse_static(program, err);
    else if (!*counts && needs.libasan)
        rc = refuse_asan(program, err);
    swi_object_file_close(&file);
    return rc;
}

/* ---- the library ---- */

/* Sets the environment of a program so that its allocations are counted, and shown even if its
 * configuration names no counter of memory. Returns 0, SW_EINVAL with what to do instead if nothing
 * can be preloaded into the program, or another negative code. */
static int memory_preload(const char *program, struct sw_error *err)
{
    char library[PATH_MAX];
    bool counts = false;
    int rc = program_check(program, &counts, err);
    if (rc == 0 && setenv("STEPWATCH_MEMORY", "1", 1) != 0)
        rc = sw_error_set(err, SW_ENOMEM, "not enough memory");
    if (rc < 0 || counts)
        return rc;
    rc = preload_library(LIBRARY, library, err);
    if (rc < 0)
        return rc;
    return preload_add(library) ? 0 : sw_error_set(err, SW_ENOMEM, "not enough memory");
}

/* ---- the options ---- */

static const char help[] =
    "usage: stepwatch run [--config FILE] [--set KEY=VALUE]... [--no-check]\n"
    "                     [--functions[=TIMES]] [--functions-rate HZ]\n"
    "                     [--functions-out FOLDER] [--children] [--memory] [--json]\n"
    "                     -- PROGRAM [ARGUMENTS]\n\n"
    "Runs a program that calls sw_open(NULL) with a configuration. Passes signals on\n"
    "to the program, and prints where the sinks wrote to. Exits with the program's exit\n"
    "status, or with 128 + n if signal n ended it. Exit status 125: the configuration\n"
    "has mistakes, and the program was not started; 126: the program cannot be started;\n"
    "127: the program does not exist.\n\n"
    "  --config FILE    the configuration (default: the one that sw_open() finds)\n"
    "  --set KEY=VALUE  change one of the profiler's options, such as rolling_average=20\n"
    "  --no-check       do not check the configuration first: for a program that\n"
    "                   registers sinks of its own\n"
    "  --functions      count the calls of the program's functions, and measure their\n"
    "                   times. The program must be compiled with -finstrument-functions.\n"
    "                   TIMES is exact (default), or sampled, which takes a quarter of\n"
    "                   the time. With sample or wall, any program can be measured, and\n"
    "                   calls are not counted: sample takes samples of its CPU time,\n"
    "                   wall of its wall time, which includes waits\n"
    "  --functions-rate HZ     samples per second (default: 97)\n"
    "  --functions-out FOLDER  where profiles are written (default: functions)\n"
    "  --children       also count in the processes that the program starts\n"
    "  --memory         count what the program allocates and frees, by region\n"
    "  --json           print the exit status and where the sinks wrote as JSON; what the\n"
    "                   program prints goes to standard error\n";

enum { EXIT_NOT_RUN = 125 };

/* ---- the environment of the program ---- */

static int cannot(const char *what)
{
    say("run", "%s: %s", what, strerror(errno));
    return EXIT_NOT_RUN;
}

/* Makes the path absolute, because the program may change its folder before it opens the profiler.
 */
static int config_export(const char *config)
{
    char absolute[PATH_MAX];
    if (!config)
        return EXIT_FINE;
    if (!realpath(config, absolute) || setenv("STEPWATCH_CONFIG", absolute, 1) != 0)
        return cannot(config);
    return EXIT_FINE;
}

/* Checks the configuration first, so that a mistake does not waste hours of work. */
static int config_check(void)
{
    SW_ERROR_SCOPE(err);
    char *text = NULL;
    int mistakes = sw_config_check(NULL, &text, &err);
    if (mistakes)
        say(NULL,
            "%s\nstepwatch run: the program was not started\n"
            "Try: stepwatch run --no-check, if it registers sinks itself",
            mistakes < 0 ? sw_error_text(&err) : text);
    free(text);
    return mistakes ? EXIT_NOT_RUN : EXIT_FINE;
}

/* ---- where the sinks wrote ---- */

/* Creates a file to which the program's profilers append their paths. */
static FILE *places_make(char *path, size_t size)
{
    int fd = console_file_make(path, size, "run");
    if (fd >= 0 && setenv("STEPWATCH_PLACES", path, 1) == 0)
        return fdopen(fd, "r");
    if (fd < 0)
        say("run",
            "%s: %s: where the sinks write will not be shown: set TMPDIR to a folder for "
            "temporary files",
            path, strerror(errno));
    else
        close(fd);
    return NULL;
}

static json_t *outputs; /* for --json */

static void place_print(const char *line)
{
    size_t sink = strcspn(line, "\t");
    const char *path = line + sink + (line[sink] == '\t');
    char *name = strndup(line, sink);
    if (outputs && name)
        json_array_append_new(
            outputs, json_pack("{s:o, s:o}", "sink", text_json(name), "path", text_json(path)));
    if (strncmp(line, "functions\t", 10) == 0) {
        profiles_made(path);
        free(name);
        return;
    }
    if (strncmp(line, "wandb\t", 6) == 0)
        dead_runs_add(path);
    fputs("stepwatch: ", stderr);
    text_shown(stderr, name ? name : "", 0);
    free(name);
    fputs(" wrote to ", stderr);
    text_shown(stderr, strcmp(path, "-") == 0 ? "standard output" : path, 0);
    if (strncmp(line, "runlog\t", 7) == 0)
        fputs(" (stepwatch report shows it)", stderr);
    fputc('\n', stderr);
}

/* A file that is only complete at its end has such a name until then: .NAME.part, or .part-NUMBER.
 */
static bool is_temporary(const char *line)
{
    const char *name = strrchr(line, '/');
    if (!name || name[1] != '.')
        return false;
    size_t size = strlen(++name);
    if (strncmp(name, ".part-", 6) == 0)
        return size > 6 && name[6 + strspn(name + 6, "0123456789")] == '\0';
    return size > 5 && strcmp(name + size - 5, ".part") == 0;
}

/* Returns whether a line is a file in the folder LOG.files of a log that was opened before. */
static bool is_beside_log(const struct swi_map *lines, const char *line)
{
    static const char folder[] = ".files/";
    for (size_t i = 0; i < lines->count; i++) {
        const char *log = lines->name[i].text;
        size_t length = swi_length_unpacked(log);
        if (strncmp(line, "runlog\t", 7) == 0 && strncmp(line, log, length) == 0 &&
            strncmp(line + length, folder, sizeof folder - 1) == 0)
            return true;
    }
    return false;
}

static bool is_within(const char *line, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(line, folder, length) == 0 && line[length] == '/';
}

/* Returns whether it is the folder of all runs of a sink, which has told that of its own run, too.
 */
static bool is_around_run(const struct swi_map *lines, size_t number)
{
    const char *line = lines->name[number].text;
    size_t sink = strcspn(line, "\t") + 1;
    for (size_t i = 0; i < number; i++)
        if (strncmp(lines->name[i].text, line, sink) == 0)
            return false;
    for (size_t i = number + 1; i < lines->count; i++)
        if (is_within(lines->name[i].text, line))
            return true;
    return false;
}

/* Prints each path once, in the order in which they were opened. Returns how many. */
static size_t places_print(FILE *file)
{
    struct swi_map lines = {0};
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!is_temporary(line) && !is_beside_log(&lines, line))
            swi_map_add(&lines, line, strlen(line));
    }
    size_t count = lines.count;
    for (size_t i = 0; i < count; i++)
        if (!is_around_run(&lines, i))
            place_print(lines.name[i].text);
    free(line);
    swi_map_free(&lines);
    return count;
}

/* ---- the command ---- */

/* What the configuration asks for: without hooks the program runs all the same, and the sink says
 * so. A mistake was said already, or is the program's to say. */
static void config_functions(struct preload *functions)
{
    static char rate_text[32];
    const char *times = NULL;
    int rate = 0;
    SW_ERROR_SCOPE(err);
    if (sw_config_functions(NULL, &times, &rate, &err) < 0 || !times)
        return;
    functions->wanted = true;
    functions->times = times;
    snprintf(rate_text, sizeof rate_text, "%d", rate);
    if (rate)
        functions->rate = rate_text;
}

/* Sets the libraries to preload. If that fails, the program is not started. */
static int preload_all(struct preload *functions, bool memory, const char *program)
{
    SW_ERROR_SCOPE(err);
    int rc = 0;
    bool asked = functions->wanted;
    if (!asked)
        config_functions(functions);
    if ((functions->wanted || functions->rate) && preload_choice_check(functions, &err) < 0)
        return usage_error(&run_command, "%s", sw_error_text(&err));
    if (asked && !preload_check(functions, program))
        return EXIT_NOT_RUN;
    if (functions->wanted && !preload_sanitizer(program))
        rc = sw_error_set(&err, SW_ENOMEM, "not enough memory");
    if (functions->wanted && rc == 0)
        rc = preload_set(functions, &err);
    if (rc == 0 && memory)
        rc = memory_preload(program, &err);
    if (rc < 0)
        say_error("run", &err);
    return rc < 0 ? EXIT_NOT_RUN : EXIT_FINE;
}

/* Whether the configuration has a sink that takes what the program prints. A mistake was said
 * already, or is the program's to say. */
static bool is_output_taken(void)
{
    SW_ERROR_SCOPE(err);
    const char *console = getenv("WANDB_CONSOLE"), *path = getenv("STEPWATCH_CONSOLE");
    return !(console && strcmp(console, "off") == 0) && !(path && !*path) &&
           sw_config_has_sink(NULL, "wandb", &err) == 1;
}

static int run_copied(char **program, bool functions, FILE *places, size_t *count)
{
    struct tee *tee = is_output_taken() ? malloc(sizeof *tee) : NULL;
    bool copied = tee && tee_open(tee);
    int status = launch(program, functions ? preload_in_child : NULL, copied ? tee : NULL);
    if (copied)
        tee_close(tee);
    *count = places ? places_print(places) : 0;
    dead_runs_upload();
    if (copied)
        tee_remove(tee);
    free(tee);
    return status;
}

static int run_program(char **program, bool functions)
{
    char path[PATH_MAX];
    size_t count;
    FILE *places = places_make(path, sizeof path);
    int status = run_copied(program, functions, places, &count);
    if (!places)
        return status;
    if (functions && profiles_count() == 0)
        fputs("stepwatch: there is no function profile\n", stderr);
    else if (count == 0 && status == 0)
        fputs("stepwatch: no sink wrote anything: does the program call sw_open(NULL)?\n", stderr);
    fclose(places);
    unlink(path);
    return status;
}

/* Returns the exit status of the program. */
static int run_show(char **program, bool functions)
{
    if (!stdout_to_stderr("run", true))
        return EXIT_NOT_RUN;
    outputs = json_array();
    int status = run_program(program, functions);
    stdout_restore();
    json_show("run", json_pack("{s:i, s:o}", "exit_status", status, "outputs", outputs));
    return status;
}

static int run(int argc, char **argv)
{
    const char *config = NULL, *set[ARGUMENT_LIST] = {NULL};
    bool unchecked = false, memory = false, json = false;
    struct preload preload = {.times = "exact", .folder = "functions"};
    SW_ERROR_SCOPE(err);
    const struct argument arguments[] = {
        {.name = "config", .value = &config},
        {.name = "set", .list = set},
        {.name = "no-check", .flag = &unchecked},
        {.name = "functions", .flag = &preload.wanted, .value = &preload.times},
        {.name = "functions-rate", .value = &preload.rate},
        {.name = "functions-out", .value = &preload.folder},
        {.name = "children", .flag = &preload.children},
        {.name = "memory", .flag = &memory},
        {.name = "json", .flag = &json}};
    int own = 1;
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    char **program = argv + own + (own < argc);
    arguments_take(&run_command, arguments, sizeof arguments / sizeof *arguments, &own, argv);
    if (own > 1 || !*program)
        return usage_error(&run_command, "expected -- PROGRAM, as in stepwatch run -- ./train");
    if (set_options_export(set, true, &err) < 0)
        return usage_error(&run_command, "%s", sw_error_text(&err));
    if (config_export(config) != EXIT_FINE || (!unchecked && config_check() != EXIT_FINE))
        return EXIT_NOT_RUN;
    int rc = preload_all(&preload, memory, program[0]);
    if (rc != EXIT_FINE)
        return rc;
    return json ? run_show(program, preload.wanted) : run_program(program, preload.wanted);
}

const struct command run_command = {"run", "runs a program with a configuration", help, run};
