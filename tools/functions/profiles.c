/* SPDX-License-Identifier: MIT */
#include "tools/functions/profiles.h"
#include "tools/functions/files.h"
#include "tools/functions/profile_source.h"
#include "tools/output/stderr.h"

static size_t made;

static void no_debug_tell(const char *object)
{
    say(NULL,
        "%s has no debug information, so its functions have no file and line (compile it with -g)",
        object);
}

static void files_make(const struct profile_source *source)
{
    SW_ERROR_SCOPE(err);
    int count = files_write(&source->profile, source->folder, "prof", NULL, &err);
    if (count < 0)
        say_error("run", &err);
    else if (count == 0)
        say(NULL, "stepwatch: %s", profile_empty_text(&source->profile));
    else
        say(NULL,
            "stepwatch: functions made whole.prof and %d more beside it (snakeviz shows them)",
            count - 1);
}

void profiles_made(const char *path)
{
    struct profile_source source;
    SW_ERROR_SCOPE(err);
    say(NULL, "stepwatch: functions wrote to %s (stepwatch functions shows it)", path);
    if (made++)
        return;
    if (source_open(&source, path, no_debug_tell, &err) < 0)
        say_error("run", &err);
    else if (!source.is_prof)
        files_make(&source);
    source_free(&source);
}

size_t profiles_count(void)
{
    return made;
}
