/* SPDX-License-Identifier: MIT */
#include "tools/log/player.h"

#include "core/text/vec.h"

#include <stdlib.h>
#include <string.h>

static int value_wait(struct player *player, const struct log_value *line, bool number,
                      struct sw_error *err)
{
    if (!swi_vec_room(&player->waiting, player->waiting_count, sizeof *player->waiting))
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the values of a step");
    player->waiting[player->waiting_count++] = (struct waiting){
        .name = strdup(log_string(line, "name", "")),
        .value = log_real(line, "value", 0),
        .step = log_step(line),
        .t = log_time(line, "t", 0),
        .line = number ? NULL : log_value_copy(line),
    };
    return 0;
}

static bool is_alert(const struct log_value *line)
{
    return log_is_type(line, LINE_ALERT);
}

/* One of stepwatch's own is said as it was then, as an alert of the program. */
static void alert_play(struct player *player, const struct log_value *line)
{
    const char *name = log_string(line, "level", "");
    enum sw_level level = strcmp(name, "error") == 0 || strcmp(name, "ERROR") == 0    ? SW_ERROR
                          : strcmp(name, "warning") == 0 || strcmp(name, "WARN") == 0 ? SW_WARNING
                                                                                      : SW_NOTE;
    sw_alert(player->sw, level, log_string(line, "title", ""), log_string(line, "text", ""));
}

static int value_play(struct player *player, const struct log_value *line, struct sw_error *err)
{
    if (!is_alert(line))
        return value_line_play(player->sw, &player->values, line, err);
    alert_play(player, line);
    return 0;
}

/* At the time that it was logged. current: the step that sw_log() would give it. */
static void waiting_play(struct player *player, struct waiting *w, int64_t current)
{
    SW_ERROR_SCOPE(ignored);
    int64_t now = player->now;
    player->now = w->t;
    if (w->line)
        value_play(player, w->line, &ignored);
    else if (w->step != current)
        sw_log_at(player->sw, w->name, w->value, w->step);
    else
        sw_log(player->sw, w->name, w->value);
    player->now = now;
    free(w->line);
    free(w->name);
}

/* A log of regions has the values before them. If sw_set_step() went back, those of lower steps are
 * of later ones. */
static bool is_due(const struct player *player, const struct waiting *w, int64_t step)
{
    return w->step == step || (w->step < step && w->t <= player->now);
}

/* Logs the values that wait for a step up to this one, and moves the rest up. */
void waiting_values_log(struct player *player, int64_t step)
{
    size_t kept = 0;
    for (size_t i = 0; i < player->waiting_count; i++) {
        struct waiting *w = &player->waiting[i];
        if (!is_due(player, w, step)) {
            player->waiting[kept++] = *w;
            continue;
        }
        waiting_play(player, w, sw_get_step(player->sw));
    }
    player->waiting_count = kept;
}

/* Those of steps that the log does not have. */
void waiting_values_log_rest(struct player *player)
{
    /* Before the first step has ended, a value belongs to the step that is set. */
    bool stepped = sw_get_step(player->sw) > 0;
    for (size_t i = 0; i < player->waiting_count; i++) {
        struct waiting *w = &player->waiting[i];
        if (w->line && w->step >= sw_get_step(player->sw))
            sw_set_step(player->sw, w->step + stepped);
        waiting_play(player, w, sw_get_step(player->sw) - stepped);
    }
    player->waiting_count = 0;
}

static bool has_own_step(const struct log_value *line)
{
    return log_true(line, "own_step");
}

/* A value of a step that has not ended waits for its end. So does one of an earlier step than the
 * last, to which sw_set_step() will go back. Others belong to the last step. */
static bool is_of_a_coming_step(const struct player *player, const struct log_value *line)
{
    return log_step(line) != sw_get_step(player->sw) - 1;
}

int waiting_values_metric(struct player *player, const struct log_value *line, struct sw_error *err)
{
    const char *name = log_string(line, "name", "");
    double value = log_real(line, "value", 0);
    if (has_own_step(line))
        sw_log_at(player->sw, name, value, log_step(line));
    else if (is_of_a_coming_step(player, line))
        return value_wait(player, line, true, err);
    else
        sw_log(player->sw, name, value);
    return 0;
}

/* The same of an alert or any other value; what belongs to no step is logged at once. */
int waiting_values_rich(struct player *player, const struct log_value *line, struct sw_error *err)
{
    bool of_step = is_alert(line) || log_is_type(line, LINE_VALUE);
    if (of_step && !has_own_step(line) && is_of_a_coming_step(player, line) &&
        (log_step(line) > 0 || player->in_fit))
        return value_wait(player, line, false, err);
    return value_play(player, line, err);
}

void waiting_values_fini(struct player *player)
{
    for (size_t i = 0; i < player->waiting_count; i++) {
        free(player->waiting[i].line);
        free(player->waiting[i].name);
    }
    free(player->waiting);
    player->waiting = NULL;
    player->waiting_count = 0;
}
