/* SPDX-License-Identifier: MIT */
#include "monitors/system/sensors.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { CHIPS = 64, SENSORS = 512 };

typedef char name_text[SWI_MACHINE_NAME];

/* ---- temperatures ---------------------------------------------------------------------------- */

/* What a chip or a sensor calls itself may have blanks and slashes, which names of metrics shall
 * not have. */
static void name_clean(char *name)
{
    for (; *name; name++)
        if (isspace((unsigned char)*name) || *name == '/')
            *name = '_';
}

/* "temp3_input" is temp3, or what its label says. */
static void sensor(const struct swi_system *system, const char *folder, const char *chip,
                   const char *file)
{
    char path[2 * SWI_MACHINE_PATH], name[SWI_MACHINE_NAME];
    int number = (int)strcspn(file, "_");
    int64_t thousandths;
    if (strcmp(file + number, "_input") != 0)
        return;
    swi_machine_format(path, sizeof path, "%s/%s", folder, file);
    if (!swi_machine_number(&system->machine, path, &thousandths))
        return;
    swi_machine_format(path, sizeof path, "%s/%.*s_label", folder,
                       number < SWI_MACHINE_NAME ? number : 0, file);
    if (!swi_machine_line(&system->machine, path, name, sizeof name))
        snprintf(name, sizeof name, "%.*s", number < SWI_MACHINE_NAME ? number : 0, file);
    name_clean(name);
    swi_give(system, (double)thousandths / 1000, "system/temperature/%s/%s", chip, name);
}

/* "nvme", and "nvme-2" for the second chip of that name. */
static void chip_name(const struct swi_system *system, const char *folder, name_text *before,
                      size_t count, char *name, size_t size)
{
    char path[2 * SWI_MACHINE_PATH];
    int same = 1;
    swi_machine_format(path, sizeof path, "%s/name", folder);
    if (!swi_machine_line(&system->machine, path, before[count], sizeof before[count]))
        snprintf(before[count], sizeof before[count], "%.*s", SWI_MACHINE_NAME - 1,
                 strrchr(folder, '/') + 1);
    name_clean(before[count]);
    for (size_t i = 0; i < count; i++)
        same += strcmp(before[i], before[count]) == 0;
    if (same > 1)
        snprintf(name, size, "%.*s-%d", SWI_MACHINE_NAME - 1, before[count], same);
    else
        snprintf(name, size, "%.*s", SWI_MACHINE_NAME - 1, before[count]);
}

static void chips(const struct swi_system *system, name_text *chip, size_t count)
{
    name_text names[CHIPS], file[SENSORS];
    for (size_t i = 0; i < count; i++) {
        char folder[SWI_MACHINE_PATH], name[SWI_MACHINE_NAME + 16];
        swi_machine_format(folder, sizeof folder, "/sys/class/hwmon/%s", chip[i]);
        chip_name(system, folder, names, i, name, sizeof name);
        size_t sensors =
            swi_machine_list(&system->machine, folder, "temp", "_input", file, SENSORS);
        for (size_t k = 0; k < sensors; k++)
            sensor(system, folder, name, file[k]);
    }
}

static void zones(const struct swi_system *system)
{
    name_text zone[CHIPS], names[CHIPS];
    size_t count =
        swi_machine_list(&system->machine, "/sys/class/thermal", "thermal_zone", "", zone, CHIPS);
    for (size_t i = 0; i < count; i++) {
        char path[SWI_MACHINE_PATH];
        int64_t thousandths;
        int same = 1;
        swi_machine_format(path, sizeof path, "/sys/class/thermal/%s/type", zone[i]);
        if (!swi_machine_line(&system->machine, path, names[i], sizeof names[i]))
            memcpy(names[i], zone[i], sizeof names[i]);
        name_clean(names[i]);
        for (size_t k = 0; k < i; k++)
            same += strcmp(names[k], names[i]) == 0;
        swi_machine_format(path, sizeof path, "/sys/class/thermal/%s/temp", zone[i]);
        if (!swi_machine_number(&system->machine, path, &thousandths))
            continue;
        if (same > 1)
            swi_give(system, (double)thousandths / 1000, "system/temperature/%s-%d/temp", names[i],
                     same);
        else
            swi_give(system, (double)thousandths / 1000, "system/temperature/%s/temp", names[i]);
    }
}

void swi_sample_sensors(struct swi_system *system)
{
    name_text chip[CHIPS];
    size_t count = swi_machine_list(&system->machine, "/sys/class/hwmon", "hwmon", "", chip, CHIPS);
    if (count)
        chips(system, chip, count);
    else
        zones(system);
}

/* ---- pressure -------------------------------------------------------------------------------- */

void swi_sample_pressure(struct swi_system *system)
{
    static const char *const what[] = {"cpu", "memory", "io"};
    static const char some[] = "some avg10=";
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        char path[SWI_MACHINE_PATH], text[256];
        const char *at = text + sizeof some - 1;
        double percent;
        swi_machine_format(path, sizeof path, "/proc/pressure/%s", what[i]);
        if (swi_machine_read(&system->machine, path, text, sizeof text) &&
            strncmp(text, some, sizeof some - 1) == 0 && swi_text_decimal(&at, &percent))
            swi_give(system, percent, "system/pressure/%s_percent", what[i]);
    }
}
