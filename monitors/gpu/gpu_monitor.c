/* SPDX-License-Identifier: MIT */
/* gpu - GPUs of NVIDIA, by the library of their driver, and of AMD and Intel, by files of the
 * kernel. They are numbered in this order. */
#include "monitors/gpu/cards.h"
#include "monitors/gpu/nvml.h"

#include <stepwatch/stepwatch.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct gpu_monitor {
    /* options */
    const char *const *devices;
    int64_t interval_ns;
    bool pcie;
    const char *root;

    struct sw_monitor *monitor;
    struct swi_machine machine;
    struct swi_nvml nvml;
    struct swi_cards cards;
};

static const struct sw_option options[] = {
    {.name = "devices",
     .type = SW_OPTION_LIST,
     .offset = offsetof(struct gpu_monitor, devices),
     .fallback = "visible",
     .help = "which NVIDIA GPUs to measure. visible: those of CUDA_VISIBLE_DEVICES; all: all of "
             "them; or a list of their numbers in nvidia-smi, or of their UUIDs"},
    SW_MONITOR_INTERVAL(struct gpu_monitor, interval_ns),
    {.name = "pcie",
     .type = SW_OPTION_BOOL,
     .offset = offsetof(struct gpu_monitor, pcie),
     .fallback = "false",
     .help = "also measure the bytes sent over PCI Express, which takes 40 ms for each NVIDIA GPU"},
    {.name = "root",
     .type = SW_OPTION_PATH,
     .offset = offsetof(struct gpu_monitor, root),
     .fallback = "/",
     .help = "folder that contains the sys in which AMD and Intel GPUs are found, such as where a "
             "container has mounted the root of its host"},
    {.name = NULL},
};

static bool is_only(const char *const *list, const char *word)
{
    return list && list[0] && !list[1] && strcmp(list[0], word) == 0;
}

/* A list of the configuration means what the same text means in CUDA_VISIBLE_DEVICES. */
static void choose(struct gpu_monitor *m)
{
    char text[4096] = "";
    size_t used = 0;
    if (!m->devices || is_only(m->devices, "visible")) {
        swi_nvml_choose(&m->nvml, sw_monitor_getenv(m->monitor, "CUDA_VISIBLE_DEVICES"));
        return;
    }
    for (size_t i = 0; m->devices[i] && used < sizeof text; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? "," : "", m->devices[i]);
    swi_nvml_choose(&m->nvml, is_only(m->devices, "all") ? NULL : text);
}

static void complain(const struct gpu_monitor *m, const char *problem, bool missing)
{
    if (!*problem || (missing && (!m->monitor->asked || m->cards.count)))
        return;
    sw_monitor_say(m->monitor, missing ? SW_NOTE : SW_WARNING, "no GPU of NVIDIA: %s", problem);
}

static int gpu_open(void *state, struct sw_monitor *monitor, struct sw_error *err)
{
    struct gpu_monitor *m = state;
    char problem[512];
    bool missing = false;
    (void)err;
    m->monitor = monitor;
    m->machine = swi_machine_here(m->root);
    m->nvml.pcie = m->pcie;
    m->nvml.pid = getpid();
    swi_cards_find(&m->cards, &m->machine);
    swi_nvml_open(&m->nvml, monitor, problem, sizeof problem, &missing);
    complain(m, problem, missing);
    choose(m);
    return 0;
}

static int gpu_sample(void *state, const struct sw_sample *sample, struct sw_error *err)
{
    struct gpu_monitor *m = state;
    double joules;
    (void)err;
    swi_nvml_sample(&m->nvml, sample->time_ns);
    swi_cards_sample(&m->cards, &m->machine, m->monitor, m->nvml.count, sample->time_ns);
    if (swi_nvml_energy(&m->nvml, &joules))
        sw_monitor_energy(m->monitor, joules);
    return 0;
}

static int gpu_close(void *state, struct sw_error *err)
{
    struct gpu_monitor *m = state;
    (void)err;
    swi_nvml_close(&m->nvml);
    swi_cards_free(&m->cards);
    return 0;
}

const struct sw_monitor_plugin SW_MONITOR_SYMBOL = {
    SW_MONITOR_HEADER,
    .name = "gpu",
    .version = "1.0",
    .license = "MIT",
    .summary = "load, memory, power, temperature and clocks of GPUs",
    .options = options,
    .state_size = sizeof(struct gpu_monitor),
    .open = gpu_open,
    .sample = gpu_sample,
    .close = gpu_close,
};
