/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/account/sdk_settings.h"
#include "core/process/plugin_threads.h"
#include "core/text/characters.h"
#include "core/text/path_text.h"
#include "net/surroundings.h"

#include <stepwatch/sink.h>

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The sink whose thread this is, with the environment that it sees; NULL: none. */
SWI_THREAD_VALUE(env_from)

void swi_wandb_env_from(struct sw_sink *sink)
{
    env_from_set(sink);
}

const char *swi_wandb_env(const char *name)
{
    struct sw_sink *sink = env_from_get();
    return sink ? sw_sink_getenv(sink, name) : getenv(name);
}

int swi_wandb_env_path(const char *name, char *path, size_t size, struct sw_error *err)
{
    const char *from_env = swi_wandb_env(name);
    path[0] = '\0';
    if (!from_env || !*from_env)
        return 0;
    int rc = swi_path_text_of(name, from_env, swi_wandb_env("HOME"), path, size, err);
    return rc < 0 ? rc : 1;
}

const char *swi_wandb_either(const char *env, const char *also)
{
    const char *from_env = env ? swi_wandb_env(env) : NULL;
    return also && (!from_env || !*from_env) ? also : env;
}

/* ---- settings files -------------------------------------------------------------------------- */

static bool lookup(const char *path, const char *name, char value[SWI_WANDB_VALUE])
{
    /* The file may contain a key, so no copy of it may remain in memory. */
    char buffer[4096];
    FILE *file = swi_plain_file_open(path);
    if (file)
        setvbuf(file, buffer, _IOFBF, sizeof buffer);
    bool found = file && swi_settings_value(file, "default", name, value, SWI_WANDB_VALUE);
    if (file)
        fclose(file);
    explicit_bzero(buffer, sizeof buffer);
    return found;
}

static bool workspace_value(const char *name, char value[SWI_WANDB_VALUE])
{
    struct stat status;
    const char *path = stat(".wandb", &status) == 0 && S_ISDIR(status.st_mode) ? ".wandb/settings"
                                                                               : "wandb/settings";
    return lookup(path, name, value);
}

static bool global_value(const char *name, char value[SWI_WANDB_VALUE])
{
    char path[PATH_MAX + 32], folder[PATH_MAX];
    const char *home = swi_wandb_env("HOME");
    SW_ERROR_SCOPE(ignored);
    int size = swi_wandb_env_path("WANDB_CONFIG_DIR", folder, sizeof folder, &ignored) > 0
                   ? snprintf(path, sizeof path, "%s/settings", folder)
                   : snprintf(path, sizeof path, "%s/.config/wandb/settings", home ? home : "");
    return size > 0 && (size_t)size < sizeof path && lookup(path, name, value);
}

/* ---- one setting ----------------------------------------------------------------------------- */

static int take(const char *text, const char *name, char value[SWI_WANDB_VALUE],
                struct sw_error *err)
{
    if (strlen(text) >= SWI_WANDB_VALUE)
        return sw_error_set(err, SW_EINVAL, "%s: has %zu bytes, at most %d are allowed", name,
                            strlen(text), SWI_WANDB_VALUE - 1);
    if (!swi_utf8_is_valid(text, strlen(text)))
        return sw_error_set(err, SW_EINVAL, "%s: is not valid UTF-8, which wandb requires", name);
    memmove(value, text, strlen(text) + 1);
    return 0;
}

int swi_wandb_setting(const char *option, const char *env, const char *name,
                      char value[SWI_WANDB_VALUE], struct sw_error *err)
{
    const char *from_env = env ? swi_wandb_env(env) : NULL;
    value[0] = '\0';
    if (option && *option)
        return take(option, name, value, err);
    if (from_env && *from_env)
        return take(from_env, env, value, err);
    if (workspace_value(name, value) || global_value(name, value))
        return take(value, name, value, err);
    return 0;
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (strcasecmp(word, *words) == 0)
            return true;
    return false;
}

/* The words are those of the SDK. */
int swi_wandb_flag(const char *env, const char *also, const char *name)
{
    static const char *const on[] = {"true", "1", "yes", "on", "t", "y", NULL};
    static const char *const off[] = {"false", "0", "no", "off", "f", "n", NULL};
    char value[SWI_WANDB_VALUE];
    SW_ERROR_SCOPE(err);
    if (swi_wandb_setting(NULL, swi_wandb_either(env, also), name, value, &err) < 0)
        return -1;
    return is_one_of(value, on) ? 1 : is_one_of(value, off) ? 0 : -1;
}

/* ---- what the service takes ------------------------------------------------------------------ */

int swi_wandb_run_id_check(const char *id, struct sw_error *err)
{
    size_t size = strlen(id);
    size_t good = strcspn(id, ":;,#?/'");
    if (good < size)
        return sw_error_set(err, SW_EINVAL,
                            "run id \"%s\": '%c' is not allowed, nor is any of : ; , # ? / ' "
                            "(option run_id or WANDB_RUN_ID)",
                            id, id[good]);
    if (!size || size > 128 || isspace((unsigned char)id[0]) ||
        isspace((unsigned char)id[size - 1]))
        return sw_error_set(err, SW_EINVAL,
                            "run id \"%s\": expected 1 to 128 bytes with no space at either end "
                            "(option run_id or WANDB_RUN_ID)",
                            id);
    return 0;
}

int swi_wandb_project_check(const char *project, struct sw_error *err)
{
    size_t good = strcspn(project, "/\\#?%:");
    if (project[good])
        return sw_error_set(err, SW_EINVAL,
                            "project \"%s\": '%c' is not allowed, nor is any of / \\ # ? %% : "
                            "(option project or WANDB_PROJECT; put the team or user into entity)",
                            project, project[good]);
    if (good > SWI_PROJECT_MAX)
        return sw_error_set(err, SW_EINVAL,
                            "project \"%s\": has %zu bytes, at most %d are allowed "
                            "(option project or WANDB_PROJECT)",
                            project, good, SWI_PROJECT_MAX);
    return 0;
}

static size_t characters_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

int swi_wandb_label_check(const char *text, struct sw_error *err)
{
    size_t count = characters_of(text);
    if (count <= SWI_LABEL_MAX)
        return 0;
    return sw_error_set(err, SW_EINVAL,
                        "has %zu characters: the service takes at most %d, and refuses the whole "
                        "run otherwise",
                        count, SWI_LABEL_MAX);
}

int swi_wandb_tag_check(const char *tag, struct sw_error *err)
{
    size_t count = characters_of(tag);
    if (count >= 1 && count <= SWI_TAG_MAX)
        return 0;
    return sw_error_set(err, SW_EINVAL,
                        "the tag \"%.20s%s\" has %zu characters: the service takes 1 to %d, and "
                        "refuses the whole run otherwise",
                        tag, strlen(tag) > 20 ? "..." : "", count, SWI_TAG_MAX);
}
