/* SPDX-License-Identifier: MIT */
#include "tools/watch/findings.h"

#include "core/clock/now.h"
#include "tools/log/explained.h"

#include <stdlib.h>
#include <string.h>

#define EVERY_NS INT64_C(5000000000)

enum { STEPS_LEAST = 32, SHARE = 100 };

/* The whole log is read to judge it: more than this is for `stepwatch explain`. */
#define BYTES_MOST (INT64_C(16) << 20)

static void findings_free(struct watched *run)
{
    for (size_t i = 0; i < run->findings; i++)
        free(run->finding[i]);
    run->findings = 0;
}

static void take(struct watched *run, const struct explained *explained)
{
    findings_free(run);
    if (explained->count == 0)
        return;
    const struct swi_advice *advice = &explained->fit[explained->count - 1].advice;
    for (size_t i = 0; i < advice->count && i < WATCHED_FINDINGS; i++) {
        run->finding[run->findings] = strdup(advice->finding[i].text);
        run->findings += run->finding[run->findings] != NULL;
    }
}

static void judge(struct watched *run)
{
    SW_ERROR_SCOPE(err);
    struct explained explained;
    if (explained_read(&explained, run->follow.path, &err) == 0)
        take(run, &explained);
    explained_free(&explained);
}

bool findings_look(struct watched *run, bool now)
{
    int64_t begun = swi_now_ns();
    bool due = now || (begun >= run->findings_due_ns && run->grown_ns > run->findings_ns);
    if (!due || run->steps < STEPS_LEAST || run->follow.offset > BYTES_MOST)
        return false;
    judge(run);
    run->findings_ns = swi_now_ns();
    int64_t took = run->findings_ns - begun;
    run->findings_due_ns = run->findings_ns + (took > EVERY_NS / SHARE ? SHARE * took : EVERY_NS);
    return true;
}

const char *findings_text(const struct watched *run, size_t i)
{
    return i < run->findings ? run->finding[i] : NULL;
}
