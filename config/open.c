/* SPDX-License-Identifier: MIT */
/* open.c - sw_open(): opens a profiler from a file, a text or options. */
#include "config/config.h"
#include "core/delivery/pipeline.h"
#include "core/monitors/monitors.h"
#include "core/exit.h"
#include "core/process/own_floats.h"
#include "core/profiler.h"
#include "core/text/printable.h"
#include "core/process/own_thread.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns 1 if $STEPWATCH is off, else 0, or SW_ECONFIG. */
static int switched_off(struct sw_error *err)
{
    const char *value = secure_getenv("STEPWATCH");
    if (!value || !*value || strcmp(value, "on") == 0)
        return 0;
    if (strcmp(value, "off") == 0)
        return 1;
    return sw_error_set(err, SW_ECONFIG,
                        "the environment variable STEPWATCH is \"%s\": expected on or off",
                        SWI_PRINTABLE(value));
}

/* Opens a profiler from a configuration. Mistakes in the options of sinks are reported together
 * with those of the file. */
static struct sw_profiler *open_config(const struct swi_config *config,
                                       struct swi_mistakes *mistakes, struct sw_error *err)
{
    if (mistakes->count) {
        swi_pipeline_check(&config->settings, false, false, mistakes);
        swi_monitors_check(&config->settings, false, mistakes);
        swi_mistakes_error(mistakes, err);
        return NULL;
    }
    if (config->settings.mode == SW_MODE_OFF)
        return NULL;
    return swi_profiler_open(&config->settings, mistakes, err);
}

/* Reads a configuration from a path, a text, or options. */
typedef int read_fn(const void *from, struct swi_config *config, struct swi_mistakes *mistakes,
                    struct sw_error *err);

static struct sw_profiler *open_by(read_fn *read, const void *from, struct swi_mistakes *mistakes,
                                   struct sw_error *err)
{
    SWI_OWN_FLOATS;
    SWI_UNINTERRUPTED;
    struct swi_config config = {0};
    struct sw_profiler *sw = NULL;
    int cancel = swi_cancel_hold();
    sw_error_init(err);
    swi_process_enter();
    if (switched_off(err) == 0 && read(from, &config, mistakes, err) == 0) {
        sw = open_config(&config, mistakes, err);
        swi_config_fini(&config);
    }
    if (err->code)
        swi_printable_error(err);
    swi_cancel_release(cancel);
    return sw;
}

/* Sends every mistake, one per line, to where the program wants its messages; NULL: standard error.
 */
static void failure_say(sw_message_fn *fn, void *arg, struct swi_mistakes *mistakes,
                        const struct sw_error *err)
{
    SWI_OWN_FLOATS;
    struct swi_messages *messages = malloc(sizeof *messages);
    char *all = swi_mistakes_text(mistakes);
    if (messages) {
        swi_messages_init(messages);
        if (fn)
            swi_messages_set(messages, fn, arg);
        swi_say_lines(messages, SW_ERROR, all ? all : sw_error_text(err));
        swi_messages_fini(messages);
    }
    free(all);
    free(messages);
}

/* Says what is wrong if the program does not ask. */
static struct sw_profiler *open_and_forget(read_fn *read, const void *from, struct sw_error *err)
{
    SW_ERROR_SCOPE(own);
    struct swi_mistakes mistakes = {0};
    struct sw_profiler *sw = open_by(read, from, &mistakes, err ? err : &own);
    if (own.code)
        failure_say(NULL, NULL, &mistakes, &own);
    swi_mistakes_fini(&mistakes);
    return sw;
}

static int read_file(const void *path, struct swi_config *config, struct swi_mistakes *mistakes,
                     struct sw_error *err)
{
    return swi_config_file(path, config, mistakes, err);
}

static int read_text(const void *yaml, struct swi_config *config, struct swi_mistakes *mistakes,
                     struct sw_error *err)
{
    char *here = swi_working_directory();
    if (!here)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a profiler");
    int rc = swi_config_text(yaml, strlen(yaml), "configuration", here, config, mistakes, err);
    free(here);
    return rc;
}

static int read_options(const void *options, struct swi_config *config,
                        struct swi_mistakes *mistakes, struct sw_error *err)
{
    return swi_config_options(options, config, mistakes, err);
}

struct sw_profiler *sw_open(const char *path, struct sw_error *err)
{
    return open_and_forget(read_file, path, err);
}

struct sw_profiler *sw_open_text(const char *yaml, struct sw_error *err)
{
    if (yaml)
        return open_and_forget(read_text, yaml, err);
    sw_error_set(err, SW_EINVAL, "sw_open_text: the text is NULL: expected YAML");
    return NULL;
}

/* ---- options of a program ---- */

struct sw_profiler *sw_open_options(const struct sw_options *given, struct sw_error *err)
{
    SW_ERROR_SCOPE(own);
    struct sw_options options = {0};
    struct swi_mistakes mistakes = {0};
    struct sw_profiler *sw = NULL;
    if (!err)
        err = &own;
    if (!given)
        sw_error_set(err, SW_EINVAL, "sw_open_options: the options are NULL");
    else if (swi_program_options_take(&options, given, err) == 0)
        sw = open_by(read_options, &options, &mistakes, err);
    if (err->code && (options.messages || err == &own))
        failure_say(options.messages, options.messages_arg, &mistakes, err);
    swi_mistakes_fini(&mistakes);
    return sw;
}
