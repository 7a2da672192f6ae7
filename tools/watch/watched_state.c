/* SPDX-License-Identifier: MIT */
#include "tools/watch/watched_state.h"

#include "core/clock/now.h"
#include "tools/watch/watched_figures.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
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
