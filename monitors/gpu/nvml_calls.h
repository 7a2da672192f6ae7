/* SPDX-License-Identifier: MIT */
/* nvml_calls.h - the functions of libnvidia-ml.so.1, by NVIDIA's public ABI. */
#ifndef MONITORS_GPU_NVML_CALLS_H
#define MONITORS_GPU_NVML_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
