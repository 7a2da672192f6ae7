/* SPDX-License-Identifier: MIT */
#include "config/config.h"

#include "config/schema.h"
#include "config/source.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FILE "stepwatch.yaml"

int swi_config_text(const char *text, size_t size, const char *name, const char *directory,
                    struct swi_settings *settings, struct swi_mistakes *mistakes,
                    struct sw_error *err)
{
    struct swi_tree tree = {0};
    int rc = 0;
    free(settings->directory);
    settings->directory = strdup(directory);
    if (!settings->directory)
        return sw_error_set(err, SW_ENOMEM, "no memory for the configuration");
    if (swi_source_check(text, size, name, mistakes))
        rc = swi_tree_parse(&tree, text, size, name, mistakes, err);
    if (rc != SW_ENOMEM)
        rc = swi_schema_read(&tree, settings, mistakes, err);
    swi_tree_fini(&tree);
    return rc;
}

/* The file's folder and path as absolute ones. */
static int place_set(const char *path, struct swi_settings *settings, char *directory, size_t size,
                     struct sw_error *err)
{
    char *absolute = realpath(path, NULL);
    if (!absolute)
        return sw_error_set(err, SW_EIO, "%s: cannot be read: %s", path, strerror(errno));
    settings->file = absolute;
    size_t length = (size_t)(strrchr(absolute, '/') - absolute);
    snprintf(directory, size, "%.*s", length ? (int)length : 1, absolute);
    return 0;
}

static int read_file(const char *path, struct swi_settings *settings, struct swi_mistakes *mistakes,
                     struct sw_error *err)
{
    char directory[PATH_MAX], *text = NULL;
    size_t size = 0;
    int rc = swi_source_read(path, &text, &size, err);
    if (rc == 0)
        rc = place_set(path, settings, directory, sizeof directory, err);
    if (rc == 0)
        rc = swi_config_text(text, size, path, directory, settings, mistakes, err);
    free(text);
    return rc;
}

static int without_file(struct swi_settings *settings, struct swi_mistakes *mistakes,
                        struct sw_error *err)
{
    char *directory = getcwd(NULL, 0);
    int rc = swi_config_text("", 0, "configuration", directory ? directory : "/", settings,
                             mistakes, err);
    free(directory);
    return rc;
}

int swi_config_file(const char *path, struct swi_settings *settings, struct swi_mistakes *mistakes,
                    struct sw_error *err)
{
    const char *named = secure_getenv("STEPWATCH_CONFIG");
    *settings = (struct swi_settings){0};
    if (path)
        return read_file(path, settings, mistakes, err);
    if (named && *named) {
        int rc = read_file(named, settings, mistakes, err);
        return rc == SW_EIO ? (sw_error_prefix(err, "STEPWATCH_CONFIG"), rc) : rc;
    }
    if (access(DEFAULT_FILE, F_OK) == 0)
        return read_file(DEFAULT_FILE, settings, mistakes, err);
    return without_file(settings, mistakes, err);
}
