/* SPDX-License-Identifier: MIT */
/* https://github.com/gradio-app/trackio, version 0.43 */
#include "sinks/sqlite/trackio_folder.h"
#include "core/text/characters.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
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

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), more = strlen(end);
    return size >= more && strcmp(text + size - more, end) == 0;
}

/* Other files of Trackio beside a database have these suffixes. */
static bool is_taken(const char *name)
{
    static const char *const ends[] = {"_system",    "_configs",           "_traces",
                                       "_artifacts", "_artifact_versions", "_artifact_aliases"};
    bool taken = strncmp(name, "registry-", 9) == 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        taken = taken || ends_with(name, ends[i]);
    return taken;
}

static void folder_add(struct sw_sink *sink, struct swi_text *path)
{
    const char *own = sw_sink_getenv(sink, "TRACKIO_DIR"), *hub = sw_sink_getenv(sink, "HF_HOME"),
               *home = sw_sink_getenv(sink, "HOME");
    if (own && *own)
        swi_text_put(path, own);
    else if (hub && *hub)
        swi_text_format(path, "%s/trackio", hub);
    else if (home && *home)
        swi_text_format(path, "%s/.cache/huggingface/trackio", home);
}

int swi_trackio_path(struct sw_sink *sink, const char *project, struct swi_text *path,
                     struct sw_error *err)
{
    folder_add(sink, path);
    if (path->failed)
        return sw_error_set(err, SW_ENOMEM, "out of memory");
    if (!path->size)
        return sw_error_set(err, SW_EINVAL,
                            "Trackio's folder is not known: set TRACKIO_DIR, HF_HOME or HOME");
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

int swi_trackio_lock(const char *database)
{
    struct swi_text path = {0};
    swi_text_add(&path, database, strlen(database) - strlen(".db"));
    swi_text_put(&path, ".lock");
    int lock = path.failed ? -1 : open(path.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    swi_text_free(&path);
    if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) < 0) {
        close(lock);
        lock = -1;
    }
    return lock;
}

void swi_trackio_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
