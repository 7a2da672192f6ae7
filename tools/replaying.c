/* SPDX-License-Identifier: MIT */
#include "tools/player.h"
#include "tools/replay.h"
#include "tools/text.h"

#include <stepwatch/inspect.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the configuration of a replay
 * --------------------------------------------------------------- */

/* "key=value" as a line of the mapping `profiler`. */
static int set_add(FILE *out, const char *set, struct sw_error *err)
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set)
        return sw_error_set(err, SW_EINVAL, "--set %s: expected key=value, like rolling_average=20",
                            set);
    fprintf(out, "  %.*s: %s\n", (int)(equals - set), set, equals + 1);
    return 0;
}

static bool is_set(const char *const *set, const char *key, size_t length)
{
    for (; set && *set; set++)
        if (strncmp(*set, key, length) == 0 && (*set)[length] == '=')
            return true;
    return false;
}

/* What the run was measured with, unless --set says otherwise. */
static void default_add(FILE *out, const struct replay *replay, const char *key, const char *value)
{
    if (!is_set(replay->set, key, strlen(key)))
        fprintf(out, "  %s: %s\n", key, value);
}

static int own_yaml(FILE *out, const struct replay *replay, const json_t *run, struct sw_error *err)
{
    char rolling[32];
    snprintf(rolling, sizeof rolling, "%lld", (long long)log_integer(run, "rolling_average", 10));
    fprintf(out, "profiler:\n");
    default_add(out, replay, "mode", log_string(run, "mode", "simple"));
    default_add(out, replay, "rolling_average", rolling);
    default_add(out, replay, "drop_first_batch",
                json_is_false(json_object_get(run, "drop_first_batch")) ? "false" : "true");
    default_add(out, replay, "show_report", "false");
    default_add(out, replay, "signals", "false");
    default_add(out, replay, "close_timeout", "600s");
    for (const char *const *set = replay->set; set && *set; set++)
        if (set_add(out, *set, err) < 0)
            return SW_EINVAL;
    fprintf(out, "logger_callback: %s\n", replay->sinks);
    return 0;
}

/* A configuration's own text, with the lines of `profiler` exchanged that --set names. */
static int given_yaml(FILE *out, const struct replay *replay, struct sw_error *err)
{
    char *text = NULL, *rest, *line;
    int rc = sw_config_print(replay->config, &text, err);
    rest = text;
    bool inside = false;
    while (rc == 0 && (line = strsep(&rest, "\n"))) {
        const char *key = line + strspn(line, " ");
        if (!(inside && is_set(replay->set, key, strcspn(key, ":"))))
            fprintf(out, "%s\n", line);
        if (strncmp(line, "profiler:", 9) == 0)
            for (const char *const *set = replay->set; set && *set && rc == 0; set++)
                rc = set_add(out, *set, err);
        inside = strncmp(line, "profiler:", 9) == 0 || (inside && *line == ' ');
    }
    free(text);
    return rc;
}

static char *yaml_make(const struct replay *replay, const json_t *run, struct sw_error *err)
{
    char *yaml = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&yaml, &size);
    if (!out) {
        sw_error_set(err, SW_ENOMEM, "no memory");
        return NULL;
    }
    int rc = replay->config ? given_yaml(out, replay, err) : own_yaml(out, replay, run, err);
    const char *name = log_string(run, "name", NULL);
    if (rc == 0 && name && *name && !replay->config) {
        fputs("name: ", out);
        text_yaml(out, name);
        fputc('\n', out);
    }
    fclose(out);
    if (rc == 0)
        return yaml;
    free(yaml);
    return NULL;
}

/* ---- playing
 * ------------------------------------------------------------------------------------- */

static int play_all(struct replay *replay, struct log *log, struct player *player, json_t *line,
                    struct sw_error *err)
{
    int rc = 1;
    while (rc > 0) {
        if (replay->line)
            replay->line(replay->arg, line);
        rc = player_play(player, line, err);
        json_decref(line);
        if (rc < 0)
            return sw_error_prefix(err, "%s:%ld", replay->path, log->number);
        rc = log_next(log, &line, err);
    }
    replay->lines = log->number;
    replay->torn = log->torn;
    replay->finished = player->finished;
    return rc;
}

static int play_log(struct replay *replay, struct log *log, json_t *run, struct sw_error *err)
{
    struct player player;
    struct sw_error close_err;
    char *yaml = yaml_make(replay, run, err);
    struct sw_profiler *sw = yaml ? sw_open_text(yaml, err) : NULL;
    free(yaml);
    if (!sw) {
        json_decref(run);
        if (err->code == 0)
            sw_error_set(err, SW_ECONFIG, "the profiler is switched off: nothing can be replayed");
        return err->code;
    }
    player_init(&player, sw, log_number(json_object_get(run, "started"), 0));
    int rc = play_all(replay, log, &player, run, err);
    player_fini(&player);
    int closed = sw_close(sw, &close_err);
    if (rc == 0 && closed < 0) {
        *err = close_err;
        rc = closed;
    }
    return rc;
}

int replay_run(struct replay *replay, struct sw_error *err)
{
    struct log log;
    json_t *line = NULL;
    int rc = log_open(&log, replay->path, err);
    if (rc < 0)
        return rc;
    rc = log_next(&log, &line, err);
    if (rc == 0)
        rc = sw_error_set(err, SW_EFORMAT, "%s: holds no line: is it a run log?", replay->path);
    else if (rc > 0 && strcmp(log_string(line, "type", ""), "run") != 0) {
        rc = sw_error_set(err, SW_EFORMAT, "%s:1: a run log begins with a line of type \"run\"",
                          replay->path);
        json_decref(line);
    } else if (rc > 0 && log_integer(line, "version", 0) != 1) {
        rc = sw_error_set(err, SW_EFORMAT, "%s:1: version %lld is not known, expected 1",
                          replay->path, (long long)log_integer(line, "version", 0));
        json_decref(line);
    }
    if (rc > 0)
        rc = play_log(replay, &log, line, err);
    log_close(&log);
    return rc;
}
