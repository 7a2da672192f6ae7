/* SPDX-License-Identifier: MIT */
/* stepwatch check - lists every mistake of a configuration, or prints the effective one. */
#include "tools/commands/commands.h"
#include "tools/commands/check_rate.h"
#include "tools/output/print.h"

#include <stepwatch/inspect.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: stepwatch check [FILE] [--print | --json] [--rate STEPS] [--values N]\n\n"
    "Checks a configuration: the file, the sinks that it names and their options.\n"
    "Opens no sink, makes no file, and survives a sink that crashes when it is loaded.\n"
    "Tries whether the outputs may be written. Prints every mistake with its line and\n"
    "column, and exits with status 1 if there is one.\n"
    "FILE defaults to $STEPWATCH_CONFIG, or else to stepwatch.yaml.\n\n"
    "  --print  print the configuration as it will be used, with the value of every\n"
    "           option; secrets are masked. The first line shows the rank of this\n"
    "           process and where it comes from\n"
    "  --json   print the mistakes as JSON: file, mistakes with line, column and text\n"
    "  --rate STEPS  also print how many bytes each sink stores of a loop with so many\n"
    "           steps a second: of a step, an hour, a day and 30 days\n"
    "  --values N  for --rate: how many values each step logs (default: 1)\n";

/* Prints the configuration, or what its sinks store. rate: NULL: the configuration. */
static int print(const char *path, const struct loop_rate *rate)
{
    SW_ERROR_SCOPE(err);
    char *text = NULL;
    if (sw_config_print(path, &text, &err) < 0) {
        say_error(NULL, &err);
        return EXIT_FAILED;
    }
    /* The library does not print a rank if no launcher was found. */
    if (!rate && strncmp(text, "# rank ", 7) != 0)
        puts("# rank 0 of 1: no launcher was found");
    if (rate)
        check_rate_print(text, rate);
    else
        fputs(text, stdout);
    free(text);
    return EXIT_FINE;
}

/* Parses "FILE:LINE:COLUMN: TEXT". A mistake may have no line and column. */
static json_t *mistake_json(const char *file, const char *text)
{
    int line = 0, column = 0, length = 0;
    size_t name = strlen(file);
    json_t *object = json_object();
    if (strncmp(text, file, name) == 0 &&
        sscanf(text + name, ":%d:%d: %n", &line, &column, &length) == 2 && length) {
        json_object_set_new(object, "line", json_integer(line));
        json_object_set_new(object, "column", json_integer(column));
        text += name + (size_t)length;
    } else if (strncmp(text, file, name) == 0 && strncmp(text + name, ": ", 2) == 0) {
        text += name + 2;
    }
    json_object_set_new(object, "text", text_json(text));
    return object;
}

static json_t *mistakes_json(const char *file, char *text)
{
    json_t *list = json_array();
    for (char *line; (line = strsep(&text, "\n"));)
        if (*line)
            json_array_append_new(list, mistake_json(file, line));
    return json_pack("{s:o, s:o}", "file", text_json(file), "mistakes", list);
}

/* rate: NULL if it is not given. */
static int check_json(const char *path, const char *file, const struct loop_rate *rate)
{
    SW_ERROR_SCOPE(err);
    char *text = NULL, *config = NULL;
    int mistakes = sw_config_check(path, &text, &err);
    json_t *object = mistakes >= 0 ? mistakes_json(file, text) : NULL;
    if (mistakes == 0 && rate && sw_config_print(path, &config, &err) == 0)
        json_object_set_new(object, "sizes", check_rate_json(config, rate));
    if (err.code < 0) {
        json_decref(object);
        object = NULL;
    }
    if (mistakes < 0 || err.code < 0 || json_print(object, &err) < 0)
        say_error(NULL, &err);
    free(text);
    free(config);
    return mistakes || err.code ? EXIT_FAILED : EXIT_FINE;
}

/* file: the path in messages. */
static int check(const char *path, const char *file, const struct loop_rate *rate)
{
    SW_ERROR_SCOPE(err);
    char *text = NULL;
    int mistakes = sw_config_check(path, &text, &err);
    if (mistakes < 0)
        say_error(NULL, &err);
    else if (mistakes > 0)
        printf("%s\n%d mistake%s\n", text, mistakes, mistakes == 1 ? "" : "s");
    else {
        text_put(file, 0);
        puts(": fine");
    }
    free(text);
    if (mistakes == 0 && rate)
        return print(path, rate);
    return mistakes ? EXIT_FAILED : EXIT_FINE;
}

/* Reads a positive number of the command line. Returns false if it is not one. */
static bool number_take(const char *text, double least, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end > text && !*end && isfinite(*number) && *number >= least && *number <= 1e9;
}

/* Returns the file that a program would read with sw_open(NULL) here, as it is named in messages.
 */
static const char *file_here(void)
{
    const char *file = getenv("STEPWATCH_CONFIG");
    return file && *file ? file : "stepwatch.yaml";
}

/* Returns the path to check: NULL for a file that nobody named, so that the library refuses one
 * that another user may have put there. */
static const char *path_of(const char *file)
{
    const char *named = getenv("STEPWATCH_CONFIG");
    bool unnamed = !(named && *named) && access(file, F_OK) == 0;
    return unnamed ? NULL : file;
}

static int run(int argc, char **argv)
{
    bool printing = false, json = false;
    const char *steps = NULL, *values = NULL;
    struct loop_rate rate = {0, 1};
    const struct argument arguments[] = {{.name = "print", .flag = &printing},
                                         {.name = "json", .flag = &json},
                                         {.name = "rate", .value = &steps},
                                         {.name = "values", .value = &values}};
    arguments_take(&check_command, arguments, 4, &argc, argv);
    if (argc > 2)
        return usage_error(&check_command, "expected at most one FILE, found %d", argc - 1);
    if (printing && json)
        return usage_error(&check_command, "--print and --json cannot be used together");
    if (printing && steps)
        return usage_error(&check_command, "--print and --rate cannot be used together");
    if (values && !steps)
        return usage_error(&check_command, "--values needs --rate");
    if (steps && !number_take(steps, 1e-6, &rate.steps_per_s))
        return usage_error(&check_command, "--rate %s is not a number of steps a second", steps);
    if (values && !number_take(values, 0, &rate.values))
        return usage_error(&check_command, "--values %s is not a number of values", values);
    const struct loop_rate *given = steps ? &rate : NULL;
    const char *file = argc == 2 ? argv[1] : file_here();
    const char *path = argc == 2 ? argv[1] : path_of(file);
    return printing ? print(path, NULL)
           : json   ? check_json(path, file, given)
                    : check(path, file, given);
}

const struct command check_command = {"check", "reports all mistakes in a configuration", help,
                                      run};
