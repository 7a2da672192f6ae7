/* SPDX-License-Identifier: MIT */
#include "tools/log/played_spans.h"

#include <stdlib.h>

int played_span_begin(struct player *player, const struct log_value *line, struct sw_error *err)
{
    const char *action = log_string(line, "action", NULL);
    if (!action)
        return sw_error_set(err, SW_EFORMAT, "\"span_begin\" without an action");
    struct played_span *all =
        realloc(player->span, (player->span_count + 1) * sizeof *player->span);
    if (!all)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the open spans");
    player->span = all;
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    all[player->span_count++] = (struct played_span){log_integer(line, "id", 0),
                                                     sw_span_begin(player->sw, sw_action(action))};
    return 0;
}

/* A span that began before the log was truncated is not known. */
void played_span_end(struct player *player, const struct log_value *line)
{
    int64_t id = log_integer(line, "id", 0);
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    for (size_t i = player->span_count; i-- > 0;) {
        if (player->span[i].logged != id)
            continue;
        sw_span_end(player->sw, player->span[i].id);
        player->span[i] = player->span[--player->span_count];
        return;
    }
}

void played_note(struct player *player, const struct log_value *line)
{
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    sw_note(player->sw, log_string(line, "text", ""));
}

/* One of stepwatch's own is said as it was then, as an alert of the program. */
void played_alert(struct player *player, const struct log_value *line)
{
    const char *name = log_string(line, "level", "");
    enum sw_level level = strcmp(name, "error") == 0 || strcmp(name, "ERROR") == 0    ? SW_ERROR
                          : strcmp(name, "warning") == 0 || strcmp(name, "WARN") == 0 ? SW_WARNING
                                                                                      : SW_NOTE;
    sw_alert(player->sw, level, log_string(line, "title", ""), log_string(line, "text", ""));
}

void played_pause(struct player *player, const struct log_value *line, bool paused)
{
    sw_set_thread(player->sw, (int)log_integer(line, "thread", 0));
    if (paused)
        sw_pause(player->sw);
    else
        sw_resume(player->sw);
}
