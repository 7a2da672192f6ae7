/* SPDX-License-Identifier: MIT */
/* nvml.h - NVIDIA GPUs, by the library of their driver. */
#ifndef MONITORS_GPU_NVML_H
#define MONITORS_GPU_NVML_H

#include "monitors/gpu/visible.h"

#include <stepwatch/monitor.h>

#include <sys/types.h>

struct swi_nvml_calls;

/* What is asked of a device. */
enum swi_nvml_value {
    SWI_NVML_UTILIZATION,
    SWI_NVML_MEMORY,
    SWI_NVML_TEMPERATURE,
    SWI_NVML_POWER,
    SWI_NVML_POWER_LIMIT,
    SWI_NVML_ENERGY,
    SWI_NVML_CLOCK_SM,
    SWI_NVML_CLOCK_MEMORY,
    SWI_NVML_FAN,
    SWI_NVML_ECC_MODE,
    SWI_NVML_ECC_CORRECTED,
    SWI_NVML_ECC_UNCORRECTED,
    SWI_NVML_PCIE_RECEIVED,
    SWI_NVML_PCIE_SENT,
    SWI_NVML_PROCESSES,
    SWI_NVML_MIG,
    SWI_NVML_VALUES
};

struct swi_nvml_device {
    void *handle;
    bool sampled;                  /* the configuration, or CUDA_VISIBLE_DEVICES, names it */
    bool off[SWI_NVML_VALUES];     /* it has no such value, or may not say it */
    int failures[SWI_NVML_VALUES]; /* in a row */
    bool lost;
    int64_t look_ns; /* when to look for a lost one again */
    bool said_lost, said_permission;
    bool has_energy;
    double energy_first, energy; /* joules */
};

struct swi_nvml {
    struct swi_nvml_calls *calls; /* NULL: there is no such library, or no driver */
    struct sw_monitor *monitor;
    bool pcie; /* asking takes 20 ms each */
    pid_t pid; /* of this process */
    size_t count;
    struct swi_nvml_device device[SWI_GPUS];
    char uuid[SWI_GPUS][SWI_GPU_UUID];
};

/* Loads the library and finds the devices. problem: set to what is wrong if there are none ("" if
 * all is well). missing: set if there is no such library. */
void swi_nvml_open(struct swi_nvml *nvml, struct sw_monitor *monitor, char *problem, size_t size,
                   bool *missing);

/* Which devices are sampled: a value like that of CUDA_VISIBLE_DEVICES; NULL: all. */
void swi_nvml_choose(struct swi_nvml *nvml, const char *value);

/* Gives the values of each device. */
void swi_nvml_sample(struct swi_nvml *nvml, int64_t time_ns);

/* Joules since the first sample, of all devices that say it. False if none does. */
bool swi_nvml_energy(const struct swi_nvml *nvml, double *joules);

void swi_nvml_close(struct swi_nvml *nvml);

#endif
