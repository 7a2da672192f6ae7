/* SPDX-License-Identifier: MIT */
#include "monitors/gpu/cards.h"

#include <stdio.h>
#include <string.h>

static const char FOLDER[] = "/sys/class/drm";

/* ---- finding --------------------------------------------------------------------------------- */

/* "card0", and not its connectors, like "card0-DP-1". */
static bool is_card(const char *name)
{
    return name[4] && name[4 + strspn(name + 4, "0123456789")] == '\0';
}

static bool has_vendor(const struct swi_machine *machine, const char *card, const char *vendor)
{
    char path[SWI_MACHINE_PATH], text[32];
    swi_machine_format(path, sizeof path, "%s/%s/device/vendor", FOLDER, card);
    return swi_machine_line(machine, path, text, sizeof text) && strcmp(text, vendor) == 0;
}

/* The driver amdgpu has this file; another one of the same maker says nothing. */
static bool is_amd(const struct swi_machine *machine, const char *card)
{
    char path[SWI_MACHINE_PATH];
    swi_machine_format(path, sizeof path, "%s/%s/device/gpu_busy_percent", FOLDER, card);
    return has_vendor(machine, card, "0x1002") && swi_machine_has(machine, path);
}

/* Its folder of sensors, or false. */
static bool sensors_find(const struct swi_machine *machine, const char *card, char *folder,
                         size_t size)
{
    char path[SWI_MACHINE_PATH], name[1][SWI_MACHINE_NAME];
    swi_machine_format(path, sizeof path, "%s/%s/device/hwmon", FOLDER, card);
    if (!swi_machine_list(machine, path, "hwmon", "", name, 1))
        return false;
    swi_machine_format(folder, size, "%.*s/%.*s", SWI_MACHINE_PATH - SWI_MACHINE_NAME - 2, path,
                       SWI_MACHINE_NAME - 1, name[0]);
    return true;
}

static bool is_intel(const struct swi_machine *machine, const char *card)
{
    char path[SWI_MACHINE_PATH];
    swi_machine_format(path, sizeof path, "%s/%s/gt_act_freq_mhz", FOLDER, card);
    return has_vendor(machine, card, "0x8086") &&
           (swi_machine_has(machine, path) || sensors_find(machine, card, path, sizeof path));
}

void swi_cards_find(struct swi_cards *cards, const struct swi_machine *machine)
{
    enum { NAMES = 8 * SWI_CARDS }; /* each card has connectors, too */
    char names[NAMES][SWI_MACHINE_NAME];
    size_t count = swi_machine_list(machine, FOLDER, "card", "", names, NAMES);
    cards->count = 0;
    for (int intel = 0; intel < 2; intel++)
        for (size_t i = 0; i < count && cards->count < SWI_CARDS; i++) {
            if (!is_card(names[i]) ||
                !(intel ? is_intel(machine, names[i]) : is_amd(machine, names[i])))
                continue;
            struct swi_card *card = &cards->card[cards->count++];
            memcpy(card->name, names[i], sizeof card->name);
            card->intel = intel;
        }
}

/* ---- sampling -------------------------------------------------------------------------------- */

/* One card in one sample. */
struct sampling {
    const struct swi_machine *machine;
    struct sw_monitor *monitor;
    const struct swi_card *card;
    size_t number;
    char sensors[SWI_MACHINE_PATH]; /* "" if there are none */
};

static void give(const struct sampling *s, const char *name, double value)
{
    char text[96];
    snprintf(text, sizeof text, "gpu/%zu/%s", s->number, name);
    sw_monitor_value(s->monitor, text, value);
}

static bool card_number(const struct sampling *s, const char *file, int64_t *number)
{
    char path[SWI_MACHINE_PATH];
    swi_machine_format(path, sizeof path, "%s/%s/%s", FOLDER, s->card->name, file);
    return swi_machine_number(s->machine, path, number);
}

static bool sensor_number(const struct sampling *s, const char *file, int64_t *number)
{
    char path[2 * SWI_MACHINE_PATH];
    swi_machine_format(path, sizeof path, "%s/%s", s->sensors, file);
    return *s->sensors && swi_machine_number(s->machine, path, number);
}

static void give_sensor(const struct sampling *s, const char *file, double unit, const char *name)
{
    int64_t number;
    if (sensor_number(s, file, &number))
        give(s, name, (double)number / unit);
}

static void amd_memory(const struct sampling *s)
{
    int64_t total, used;
    bool has_total = card_number(s, "device/mem_info_vram_total", &total);
    bool has_used = card_number(s, "device/mem_info_vram_used", &used);
    if (has_total)
        give(s, "memory_total_bytes", (double)total);
    if (has_used)
        give(s, "memory_used_bytes", (double)used);
    if (has_total && has_used && total > 0)
        give(s, "memory_percent", 100 * (double)used / (double)total);
}

static void amd_sample(const struct sampling *s)
{
    int64_t number;
    if (card_number(s, "device/gpu_busy_percent", &number))
        give(s, "utilization_percent", (double)number);
    if (card_number(s, "device/mem_busy_percent", &number))
        give(s, "memory_utilization_percent", (double)number);
    amd_memory(s);
    if (sensor_number(s, "power1_average", &number) || sensor_number(s, "power1_input", &number))
        give(s, "power_watts", (double)number / 1e6);
    give_sensor(s, "power1_cap", 1e6, "power_limit_watts");
    give_sensor(s, "temp1_input", 1e3, "temperature_celsius");
    give_sensor(s, "freq1_input", 1e6, "clock_sm_mhz");
}

/* It has no load there, and its power only as a counter of energy. */
static void intel_sample(const struct sampling *s, struct swi_rate_readings *rates,
                         int64_t began_ns)
{
    int64_t number;
    double per_s;
    if (sensor_number(s, "energy1_input", &number) && number >= 0 &&
        swi_rate(rates, s->card->name, (uint64_t)number, swi_machine_now(s->machine, began_ns),
                 &per_s))
        give(s, "power_watts", per_s / 1e6);
    give_sensor(s, "power1_max", 1e6, "power_limit_watts");
    if (card_number(s, "gt_act_freq_mhz", &number))
        give(s, "clock_sm_mhz", (double)number);
}

void swi_cards_sample(struct swi_cards *cards, const struct swi_machine *machine,
                      struct sw_monitor *monitor, size_t first, int64_t began_ns)
{
    for (size_t i = 0; i < cards->count; i++) {
        struct sampling s = {
            .machine = machine, .monitor = monitor, .card = &cards->card[i], .number = first + i};
        if (!sensors_find(machine, s.card->name, s.sensors, sizeof s.sensors))
            s.sensors[0] = '\0';
        if (s.card->intel)
            intel_sample(&s, &cards->rates, began_ns);
        else
            amd_sample(&s);
    }
}

void swi_cards_free(struct swi_cards *cards)
{
    swi_rate_readings_free(&cards->rates);
    cards->count = 0;
}
