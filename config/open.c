/* SPDX-License-Identifier: MIT */
/* open.c - sw_open(): from a file, or a text, to a profiler. */
#include "config/config.h"
#include "core/delivery/pipeline.h"
#include "core/fork.h"
#include "core/profiler.h"
#include "core/text/printable.h"
#include "core/process/own_thread.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether STEPWATCH says off. 0, 1 or SW_ECONFIG. */
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

/* Opens by what was read. The mistakes of the sinks' options are told with those of the file. */
static struct sw_profiler *open_config(const struct swi_config *config,
                                       struct swi_mistakes *mistakes, struct sw_error *err)
{
    if (mistakes->count) {
        swi_pipeline_check(&config->settings, false, mistakes);
        swi_mistakes_error(mistakes, err);
        return NULL;
    }
    if (config->settings.mode == SW_MODE_OFF)
        return NULL;
    return swi_profiler_open(&config->settings, mistakes, err);
}

/* What reads a configuration: from a file by its path, or from a text. */
typedef int read_fn(const char *from, struct swi_config *config, struct swi_mistakes *mistakes,
                    struct sw_error *err);

static struct sw_profiler *open_by(read_fn *read, const char *from, struct sw_error *err)
{
    struct sw_error own = {0};
    struct swi_mistakes mistakes = {0};
    struct swi_config config = {0};
    struct sw_profiler *sw = NULL;
    int cancel = swi_cancel_hold();
    if (!err)
        err = &own;
    sw_error_clear(err);
    swi_process_enter();
    if (switched_off(err) == 0 && read(from, &config, &mistakes, err) == 0) {
        sw = open_config(&config, &mistakes, err);
        swi_config_fini(&config);
    }
    swi_mistakes_fini(&mistakes);
    if (err->code)
        swi_printable_error(err);
    swi_cancel_release(cancel);
    return sw;
}

static int read_text(const char *yaml, struct swi_config *config, struct swi_mistakes *mistakes,
                     struct sw_error *err)
{
    char *here = swi_working_directory();
    if (!here)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for a profiler");
    int rc = swi_config_text(yaml, strlen(yaml), "configuration", here, config, mistakes, err);
    free(here);
    return rc;
}

struct sw_profiler *sw_open(const char *path, struct sw_error *err)
{
    return open_by(swi_config_file, path, err);
}

struct sw_profiler *sw_open_text(const char *yaml, struct sw_error *err)
{
    if (yaml)
        return open_by(read_text, yaml, err);
    sw_error_set(err, SW_EINVAL, "sw_open_text: the text is NULL: expected YAML");
    return NULL;
}
