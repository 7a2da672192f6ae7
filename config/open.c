/* SPDX-License-Identifier: MIT */
/* sw_open(): from a file to a profiler. */
#include "config/config.h"
#include "core/profiler.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool switched_off(void)
{
    const char *value = getenv("STEPWATCH");
    return value && strcmp(value, "off") == 0;
}

/* What sw_open() and sw_open_text() have in common, once the settings were read. */
static struct sw_profiler *open_settings(int rc, struct swi_settings *settings,
                                         struct swi_mistakes *mistakes, struct sw_error *err)
{
    struct sw_profiler *sw = NULL;
    if (rc == 0 && settings->mode == SW_MODE_OFF && !mistakes->count)
        sw_error_clear(err);
    else if (rc == 0)
        sw = swi_profiler_open(settings, mistakes, err);
    if (mistakes->count)
        swi_mistakes_error(mistakes, err);
    swi_mistakes_fini(mistakes);
    swi_settings_fini(settings);
    return sw;
}

struct sw_profiler *sw_open(const char *path, struct sw_error *err)
{
    struct sw_error ignored;
    struct swi_settings settings = {0};
    struct swi_mistakes mistakes = {0};
    err = err ? err : &ignored;
    sw_error_clear(err);
    if (switched_off())
        return NULL;
    int rc = swi_config_file(path, &settings, &mistakes, err);
    return open_settings(rc, &settings, &mistakes, err);
}

struct sw_profiler *sw_open_text(const char *yaml, struct sw_error *err)
{
    struct sw_error ignored;
    struct swi_settings settings = {0};
    struct swi_mistakes mistakes = {0};
    err = err ? err : &ignored;
    sw_error_clear(err);
    if (switched_off())
        return NULL;
    char *directory = getcwd(NULL, 0);
    int rc = swi_config_text(yaml, strlen(yaml), "configuration", directory ? directory : "/",
                             &settings, &mistakes, err);
    free(directory);
    return open_settings(rc, &settings, &mistakes, err);
}
