/* SPDX-License-Identifier: MIT */
#include "tools/log/played_sample.h"

#include <stepwatch/monitor.h>

#include <stdlib.h>
#include <string.h>

static void sample_clear(struct player *player)
{
    for (size_t i = 0; i < player->sample_count; i++)
        free(player->sample_name[i]);
    player->sample_count = 0;
}

/* Logs the sample whose lines have come, at its time and step. Its lines may come after those of
 * later steps. */
void played_sample_log(struct player *player)
{
    int64_t now = player->now, next = sw_get_step(player->sw);
    if (!player->sample_count)
        return;
    player->now = player->sample_t;
    bool is_there = player->sample_step == (next > 0 ? next - 1 : 0);
    if (!is_there)
        sw_set_step(player->sw, player->sample_step + 1);
    sw_log_sample(player->sw, (const char *const *)player->sample_name, player->sample_value,
                  player->sample_count);
    player->now = now;
    if (!is_there)
        sw_set_step(player->sw, next);
    sample_clear(player);
}

int played_sample_add(struct player *player, const struct log_value *line, struct sw_error *err)
{
    size_t count = player->sample_count;
    char **name = realloc(player->sample_name, (count + 1) * sizeof *name);
    if (name)
        player->sample_name = name;
    double *value = realloc(player->sample_value, (count + 1) * sizeof *value);
    if (value)
        player->sample_value = value;
    char *copy = name && value ? strdup(log_string(line, "name", "")) : NULL;
    if (!copy)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the values of a sample");
    name[count] = copy;
    value[count] = log_number(log_get(line, "value"), 0);
    player->sample_count++;
    player->sample_t = player->now;
    player->sample_step = log_step(line);
    return 0;
}

bool played_sample_is(const struct log_value *line)
{
    return strcmp(log_string(line, "by", ""), "monitor") == 0;
}

/* Of a metric by a monitor: is the line one more of the sample that waits? */
bool played_sample_continues(const struct player *player, const struct log_value *line)
{
    return played_sample_is(line) && log_integer(line, "t", player->now) == player->sample_t;
}

void played_sample_fini(struct player *player)
{
    sample_clear(player);
    free(player->sample_name);
    free(player->sample_value);
    player->sample_name = NULL;
    player->sample_value = NULL;
}
