/* SPDX-License-Identifier: MIT */
/* nvml.h - NVIDIA GPUs, by the library of their driver. */
#ifndef MONITORS_GPU_NVML_H
#define MONITORS_GPU_NVML_H

#include <stepwatch/monitor.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* ---- nvml_calls.c ---------------------------------------------------------------------------- */

/* The result codes that this monitor tells apart. */
enum {
    SWI_NVML_OK = 0,
    SWI_NVML_NOT_SUPPORTED = 3,
    SWI_NVML_NO_PERMISSION = 4,
    SWI_NVML_INSUFFICIENT_SIZE = 7,
    SWI_NVML_FUNCTION_NOT_FOUND = 13,
    SWI_NVML_GPU_IS_LOST = 15,
    SWI_NVML_RESET_REQUIRED = 16,
    SWI_NVML_VERSION_MISMATCH = 25
};

struct swi_nvml_memory {
    unsigned long long total, free, used; /* used: includes what the driver reserves */
};
struct swi_nvml_memory_v2 {
    unsigned version; /* set before the call */
    unsigned long long total, reserved, free, used;
};
struct swi_nvml_utilization {
    unsigned gpu, memory;
};
struct swi_nvml_process_v1 {
    unsigned pid;
    unsigned long long bytes;
};
struct swi_nvml_process {
    unsigned pid;
    unsigned long long bytes; /* all ones: unknown */
    unsigned instance, compute;
};

/* Functions that an older driver lacks are NULL. */
struct swi_nvml_calls {
    int (*init)(void);
    int (*shutdown)(void);
    const char *(*error)(int code);
    int (*count)(unsigned *count);
    int (*by_index)(unsigned index, void **device);
    int (*by_uuid)(const char *uuid, void **device);
    int (*uuid)(void *device, char *text, unsigned size);
    int (*utilization)(void *device, struct swi_nvml_utilization *utilization);
    int (*memory)(void *device, struct swi_nvml_memory *memory);
    int (*memory_v2)(void *device, struct swi_nvml_memory_v2 *memory);
    int (*temperature)(void *device, int sensor, unsigned *celsius);
    int (*power)(void *device, unsigned *milliwatts);
    int (*power_limit)(void *device, unsigned *milliwatts);
    int (*energy)(void *device, unsigned long long *millijoules);
    int (*clock)(void *device, int type, unsigned *mhz);
    int (*fan)(void *device, unsigned *percent);
    int (*ecc_mode)(void *device, int *now, int *pending);
    int (*ecc_errors)(void *device, int type, int counter, unsigned long long *errors);
    int (*pcie)(void *device, int which, unsigned *kib_per_s);
    int (*processes)(void *device, unsigned *count, struct swi_nvml_process *list);
    int (*processes_v1)(void *device, unsigned *count, struct swi_nvml_process_v1 *list);
    int (*mig_mode)(void *device, unsigned *now, unsigned *pending);
    int (*mig_count)(void *device, unsigned *count);
    int (*mig_device)(void *device, unsigned index, void **instance);
    int (*mig_parent)(void *instance, void **device);
    void *library;
};

/* Loads the library. On failure, returns NULL, writes the reason to problem, and sets missing if
 * the library is not installed. */
struct swi_nvml_calls *swi_nvml_calls_load(char *problem, size_t size, bool *missing);

/* ---- visible.c ------------------------------------------------------------------------------- */

enum { SWI_GPUS = 64, SWI_GPU_UUID = 96 };

/* What a list of devices means. */
struct swi_visible {
    size_t count;
    int index[SWI_GPUS]; /* in the order of the list */
};

/* The device that a MIG instance is part of; -1: unknown. */
typedef int swi_mig_parent_fn(void *arg, const char *uuid);

/* Reads the value of CUDA_VISIBLE_DEVICES: indices up to the first invalid one; beginnings of
 * UUIDs, each of exactly one device; or MIG instances. One that is named twice makes the list
 * empty. value NULL: all. uuids: of all devices, in order. mig may be NULL. */
void swi_visible_read(struct swi_visible *visible, const char *value, char (*uuids)[SWI_GPU_UUID],
                      size_t count, swi_mig_parent_fn *mig, void *arg);

/* Whether pid is own, or a child of it, or of one of those. */
bool swi_is_own_process(pid_t pid, pid_t own);

/* ---- nvml.c ---------------------------------------------------------------------------------- */

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
    bool lost_reported, permission_reported;
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
