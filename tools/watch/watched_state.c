/* SPDX-License-Identifier: MIT */
#include "tools/watch/watched.h"

#include "core/clock/now.h"
#include "core/text/vec.h"
#include "tools/log/explained.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* The number of a process may be another's by now: that one began later than the run. */
static bool is_of_run(const struct watched *watched)
{
    char path[64], text[1024] = "";
    unsigned long long began = 0;
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)watched->pid);
    FILE *stat = fopen(path, "re");
    size_t size = stat ? fread(text, 1, sizeof text - 1, stat) : 0;
    if (stat)
        fclose(stat);
    text[size] = '\0';
    const char *behind = strrchr(text, ')');
    struct timespec now, up;
    if (!behind || sscanf(behind,
                          ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
                          "%*d %*d %*d %*d %llu",
                          &began) != 1)
        return true;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    double since_boot = (double)began / (double)sysconf(_SC_CLK_TCK);
    double began_s = (double)now.tv_sec - ((double)up.tv_sec - since_boot);
    return began_s <= watched->started_s + 2;
}

static bool process_is_gone(const struct watched *watched)
{
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    if (strcmp(host, watched->host) != 0 || watched->pid <= 0)
        return false;
    return (kill((pid_t)watched->pid, 0) < 0 && errno == ESRCH) || !is_of_run(watched);
}

static int64_t silence_of(const struct watched *watched)
{
    double p99 = watched_figures(watched, watched->step_ns).p99_ns;
    double limit = fmax(10e9, 20 * p99);
    int64_t silent = swi_now_ns() - watched->grown_ns;
    return (double)silent > limit ? silent : 0;
}

enum watched_state watched_state(const struct watched *watched)
{
    if (!watched->known)
        return WATCHED_WAITS;
    if (watched->finished)
        return WATCHED_FINISHED;
    if (process_is_gone(watched))
        return WATCHED_DEAD;
    return silence_of(watched) ? WATCHED_SILENT : WATCHED_RUNS;
}

const char *watched_state_text(const struct watched *watched, char *buffer, size_t size)
{
    int silent = (int)((swi_now_ns() - watched->grown_ns) / SECOND);
    switch (watched_state(watched)) {
    case WATCHED_WAITS:
        snprintf(buffer, size, "waiting");
        break;
    case WATCHED_RUNS:
        snprintf(buffer, size, "%s", watched->validating ? "validating" : "runs");
        break;
    case WATCHED_SILENT:
        snprintf(buffer, size, "silent for %d:%02d", silent / 60, silent % 60);
        break;
    case WATCHED_FINISHED:
        snprintf(buffer, size,
                 watched->interrupted   ? "interrupted"
                 : watched->exit_status ? "failed"
                                        : "finished");
        break;
    case WATCHED_DEAD:
        snprintf(buffer, size, "ended without finish (killed?)");
        break;
    }
    return buffer;
}

/* ---- figures --------------------------------------------------------------------------------- */

size_t watched_stored_steps(const struct watched *watched)
{
    return watched->kept < WATCHED_STEPS ? (size_t)watched->kept : WATCHED_STEPS;
}

struct watched_figures watched_figures(const struct watched *watched, const int64_t *ns)
{
    double sorted[WATCHED_STEPS];
    struct watched_figures figures = {0};
    size_t count = watched_stored_steps(watched);
    if (count == 0)
        return figures;
    for (size_t i = 0; i < count; i++)
        figures.sum_ns += sorted[i] = (double)ns[i];
    qsort(sorted, count, sizeof *sorted, swi_by_double);
    figures.mean_ns = figures.sum_ns / (double)count;
    figures.p50_ns = swi_sorted_quantile(sorted, count, 0.5);
    figures.p99_ns = swi_sorted_quantile(sorted, count, 0.99);
    return figures;
}

size_t watched_slowest(const struct watched *watched)
{
    size_t slowest = 0;
    for (size_t i = 1; i < watched_stored_steps(watched); i++)
        if (watched->step_ns[i] > watched->step_ns[slowest])
            slowest = i;
    return slowest;
}

double watched_eta(const struct watched *watched)
{
    int64_t done = watched->step - 1 - watched->first_step;
    int64_t left = watched->expected - watched->step;
    if (watched->first_step < 0 || watched->expected <= 0 || left < 0 || done <= 0)
        return -1;
    return (double)(watched->t_ns - watched->first_t_ns) * 1e-9 * (double)left / (double)done;
}

/* ---- findings -------------------------------------------------------------------------------- */

#define EVERY_NS INT64_C(5000000000)

enum { STEPS_LEAST = 32, SHARE = 100 };

/* The whole log is read to judge it: more than this is for `stepwatch explain`. */
#define BYTES_MOST (INT64_C(16) << 20)

static void findings_take(struct watched *run, const struct swi_advice *advice)
{
    while (run->findings)
        free(run->finding[--run->findings]);
    for (size_t i = 0; i < advice->count && i < WATCHED_FINDINGS; i++) {
        run->finding[run->findings] = strdup(advice->finding[i].text);
        run->findings += run->finding[run->findings] != NULL;
    }
}

/* Keeps those of the newest fit. */
static void newest_take(void *arg, struct explained_fit *fit)
{
    const struct swi_advice before = *(struct swi_advice *)arg;
    *(struct swi_advice *)arg = fit->advice;
    fit->advice = before;
}

static void findings_read(struct watched *run)
{
    SW_ERROR_SCOPE(err);
    struct explained explained;
    struct swi_advice newest = {0};
    explained_init(&explained, run->follow.path, newest_take, &newest);
    if (explained_read(&explained, &err) == 0)
        findings_take(run, &newest);
    swi_advice_free(&newest);
    explained_free(&explained);
}

bool findings_update(struct watched *run, bool now)
{
    int64_t begun = swi_now_ns();
    bool due = now || (begun >= run->findings_due_ns && run->grown_ns > run->findings_ns);
    if (!due || run->steps < STEPS_LEAST || run->follow.offset > BYTES_MOST)
        return false;
    findings_read(run);
    run->findings_ns = swi_now_ns();
    int64_t took = run->findings_ns - begun;
    run->findings_due_ns = run->findings_ns + (took > EVERY_NS / SHARE ? SHARE * took : EVERY_NS);
    return true;
}

const char *findings_text(const struct watched *run, size_t i)
{
    return i < run->findings ? run->finding[i] : NULL;
}
