/* SPDX-License-Identifier: MIT */
/* trackio_folder.c - finds the database in which Trackio keeps a project:
 * https://github.com/gradio-app/trackio, version 0.43. */
#include "sinks/sqlite/database.h"
#include "core/text/characters.h"
#include "core/text/parts.h"
#include "core/text/path_text.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wctype.h>

/* What isalnum() of Python accepts, or almost: `letters` also has the vowel signs of Indic scripts
 * and of Thai, but no superscripts and fractions. */
static bool is_kept(uint32_t code, locale_t letters)
{
    if (code < 0x80)
        return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') ||
               (code >= '0' && code <= '9') || code == '-' || code == '_';
    return letters && iswalnum_l((wint_t)code, letters);
}

/* Adds the name under which Trackio keeps a project. The program's own locale does not matter. */
static void project_add(const char *project, struct swi_text *path)
{
    locale_t letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    size_t before = path->size, left = strlen(project), length;
    for (const char *c = project; left; c += length, left -= length) {
        uint32_t code = 0;
        length = swi_utf8_next(c, left, &code);
        if (length && is_kept(code, letters))
            swi_text_add(path, c, length);
        length += !length;
    }
    if (letters)
        freelocale(letters);
    if (path->size == before)
        swi_text_put(path, "default");
}

/* Other files of Trackio beside a database have these suffixes. */
static bool is_taken(const char *name)
{
    static const char *const ends[] = {"_system",    "_configs",           "_traces",
                                       "_artifacts", "_artifact_versions", "_artifact_aliases"};
    bool taken = strncmp(name, "registry-", 9) == 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        taken = taken || swi_ends(name, ends[i]);
    return taken;
}

/* What the client asks of the environment. */
struct variables {
    swi_trackio_env_fn *env;
    void *arg;
};

static const char *variable(const struct variables *l, const char *name)
{
    const char *value = l->env(l->arg, name);
    return value && *value ? value : NULL;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

/* Adds a text with $NAME and ${NAME} replaced as os.path.expandvars() does: what is not set stays.
 */
static void expanded_add(const struct variables *l, const char *text, struct swi_text *to)
{
    for (const char *at = text; *at;) {
        char name[256];
        bool braces = at[0] == '$' && at[1] == '{';
        const char *begin = at + 1 + braces;
        size_t size = strspn(begin, LETTERS "0123456789");
        bool named = *at == '$' && size && size < sizeof name && (!braces || begin[size] == '}');
        snprintf(name, sizeof name, "%.*s", named ? (int)size : 0, begin);
        const char *value = named ? l->env(l->arg, name) : NULL;
        if (value)
            swi_text_put(to, value);
        else
            swi_text_add(to, at, 1);
        at = value ? begin + size + braces : at + 1;
    }
}

/* Adds the folder of the hub's client. Like the client, it replaces ~ first and $NAME then. */
static int hub_add(const struct variables *l, struct swi_text *path, struct sw_error *err)
{
    const char *hub = variable(l, "HF_HOME"), *cache = variable(l, "XDG_CACHE_HOME");
    char whole[PATH_MAX];
    int rc = hub ? swi_path_text_of("HF_HOME", hub, variable(l, "HOME"), whole, sizeof whole, err)
                 : swi_path_text_of(cache ? "XDG_CACHE_HOME" : "HOME", cache ? cache : "~/.cache",
                                    variable(l, "HOME"), whole, sizeof whole, err);
    if (rc == 0) {
        expanded_add(l, whole, path);
        swi_text_put(path, hub ? "/trackio" : "/huggingface/trackio");
    }
    return rc;
}

static int folder_add(const struct variables *l, struct swi_text *path, struct sw_error *err)
{
    const char *own = variable(l, "TRACKIO_DIR");
    if (!own && !variable(l, "HF_HOME") && !variable(l, "XDG_CACHE_HOME") && !variable(l, "HOME"))
        return sw_error_set(err, SW_EINVAL,
                            "Trackio's folder is not known: set TRACKIO_DIR, HF_HOME or HOME");
    if (own && *own == '~')
        return sw_error_set(err, SW_EINVAL,
                            "TRACKIO_DIR begins with ~, which Trackio takes for the name of a "
                            "folder: write the whole path");
    if (!own)
        return hub_add(l, path, err);
    swi_text_put(path, own);
    return 0;
}

int swi_trackio_path(swi_trackio_env_fn *env, void *arg, const char *project, struct swi_text *path,
                     struct sw_error *err)
{
    int rc = folder_add(&(struct variables){env, arg}, path, err);
    if (rc < 0)
        return rc;
    swi_text_put(path, "/");
    size_t name = path->size;
    project_add(project, path);
    if (!path->failed && is_taken(path->data + name))
        return sw_error_set(err, SW_EINVAL,
                            "project \"%s\": Trackio uses this name for a file of its own: choose "
                            "another one",
                            project);
    swi_text_put(path, ".db");
    return path->failed ? sw_error_set(err, SW_ENOMEM, "out of memory") : 0;
}
