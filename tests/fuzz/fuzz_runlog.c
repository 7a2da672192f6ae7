/* SPDX-License-Identifier: MIT */
/* fuzz_runlog.c - whatever is in a run log, it is read to its end, a line that is refused is so
 * with its number, and what was read makes a report.
 *
 * For libFuzzer (make fuzz-runlog), and with the seeds of tests/fuzz/runlog a suite of tests/check.
 */
#include "tests/fuzz/fuzz.h"

#include "tools/log/log_lines.h"
#include "tools/log/player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void silent(void *arg, enum sw_level level, const char *text)
{
    (void)arg;
    (void)level;
    require(*text);
}

/* The line's number is in the message. */
static void require_place(const struct log *log, const struct sw_error *err)
{
    char place[128];
    snprintf(place, sizeof place, "%s:%ld: ", log->path, log->number);
    require(err->code == SW_EIO || strncmp(sw_error_text(err), place, strlen(place)) == 0);
}

/* As `stepwatch report` does, which leaves damaged lines out. Returns how many were played. */
static int64_t play(struct log *log, struct player *player)
{
    struct sw_error err = {0};
    json_t *line = NULL;
    int64_t played = 0;
    int rc;
    while ((rc = log_next(log, &line, &err)) != 0 && (rc > 0 || err.code == SW_EFORMAT)) {
        if (rc > 0) {
            played += player_play(player, line, &err) == 0;
            json_decref(line);
        } else {
            require_place(log, &err);
        }
    }
    return played;
}

int64_t fuzz_runlog(const uint8_t *data, size_t size)
{
    char path[64];
    struct log log;
    struct player player;
    struct sw_error err;
    struct sw_report *report = NULL;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct sw_profiler *sw = sw_open_text("profiler: { mode: simple, show_report: false, signals: "
                                          "false }\n",
                                          &err);
    require(sw && log_open(&log, path, &err) == 0);
    sw_set_messages(sw, silent, NULL);
    player_init(&player, sw, 0);
    int64_t played = play(&log, &player);
    player_end(&player);
    player_fini(&player);
    require(sw_report_new(sw, &report, &err) >= 0);
    sw_report_free(report);
    require(sw_close(sw, &err) == 0);
    log_close(&log);
    close(fd);
    return played;
}
