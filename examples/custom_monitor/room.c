/* SPDX-License-Identifier: MIT */
/* room - a monitor outside of the tree: a number that another program writes into a file, such as
 * the temperature of a room. docs/writing-monitors.md goes through it. Build it with
 *
 *     cc -shared -fPIC $(pkg-config --cflags stepwatch) -o room.so room.c
 */
#include <stepwatch/monitor.h>

#include <stdio.h>

struct room {
    const char *file; /* options: set before open() is called */
    const char *name;
    int64_t interval_ns;
    struct sw_monitor *monitor; /* private fields from here on; zero at first */
};

static const struct sw_option options[] = {
    {.name = "file",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct room, file),
     .required = true,
     .help = "file that begins with the number"},
    {.name = "name",
     .type = SW_OPTION_STRING,
     .offset = offsetof(struct room, name),
     .fallback = "room/celsius",
     .help = "name of the metric"},
    SW_MONITOR_INTERVAL(struct room, interval_ns),
    {.name = NULL},
};

static int room_open(void *state, struct sw_monitor *monitor, struct sw_error *err)
{
    struct room *room = state;
    (void)err;
    room->monitor = monitor;
    return 0;
}

/* What cannot be read now is left out of this sample. */
static int room_sample(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    struct room *room = state;
    double value;
    (void)sample;
    (void)err;
    FILE *file = fopen(room->file, "re");
    if (file && fscanf(file, "%lf", &value) == 1)
        sw_monitor_value(room->monitor, room->name, value);
    if (file)
        fclose(file);
    return 0;
}

const struct sw_monitor_plugin sw_monitor_plugin = {
    SW_MONITOR_HEADER,
    .name = "room",
    .version = "1.0",
    .license = "MIT",
    .summary = "a number in a file, such as the temperature of the room",
    .options = options,
    .state_size = sizeof(struct room),
    .open = room_open,
    .sample = room_sample,
};
