/* SPDX-License-Identifier: MIT */
/* nvml_calls.c - the functions of libnvidia-ml.so.1, by NVIDIA's public ABI. */
#include "monitors/gpu/nvml.h"
#include "core/files/own_symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct swi_nvml_memory) == 24 && sizeof(struct swi_nvml_memory_v2) == 40 &&
                   sizeof(struct swi_nvml_process_v1) == 16 &&
                   sizeof(struct swi_nvml_process) == 24,
               "NVIDIA's layout");

/* Where each function goes. The first name that the library has counts. */
static const struct {
    size_t at;
    const char *name, *older;
} functions[] = {
#define CALL(field, ...)                                                                           \
    {                                                                                              \
        offsetof(struct swi_nvml_calls, field), __VA_ARGS__                                        \
    }
    CALL(init, "nvmlInit_v2", "nvmlInit"),
    CALL(shutdown, "nvmlShutdown", NULL),
    CALL(error, "nvmlErrorString", NULL),
    CALL(count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"),
    CALL(by_index, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex"),
    CALL(by_uuid, "nvmlDeviceGetHandleByUUID", NULL),
    CALL(uuid, "nvmlDeviceGetUUID", NULL),
    CALL(utilization, "nvmlDeviceGetUtilizationRates", NULL),
    CALL(memory, "nvmlDeviceGetMemoryInfo", NULL),
    CALL(memory_v2, "nvmlDeviceGetMemoryInfo_v2", NULL),
    CALL(temperature, "nvmlDeviceGetTemperature", NULL),
    CALL(power, "nvmlDeviceGetPowerUsage", NULL),
    CALL(power_limit, "nvmlDeviceGetEnforcedPowerLimit", NULL),
    CALL(energy, "nvmlDeviceGetTotalEnergyConsumption", NULL),
    CALL(clock, "nvmlDeviceGetClockInfo", NULL),
    CALL(fan, "nvmlDeviceGetFanSpeed", NULL),
    CALL(ecc_mode, "nvmlDeviceGetEccMode", NULL),
    CALL(ecc_errors, "nvmlDeviceGetTotalEccErrors", NULL),
    CALL(pcie, "nvmlDeviceGetPcieThroughput", NULL),
    CALL(processes, "nvmlDeviceGetComputeRunningProcesses_v3",
         "nvmlDeviceGetComputeRunningProcesses_v2"),
    CALL(processes_v1, "nvmlDeviceGetComputeRunningProcesses", NULL),
    CALL(mig_mode, "nvmlDeviceGetMigMode", NULL),
    CALL(mig_count, "nvmlDeviceGetMaxMigDeviceCount", NULL),
    CALL(mig_device, "nvmlDeviceGetMigDeviceHandleByIndex", NULL),
    CALL(mig_parent, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", NULL),
#undef CALL
};

static void functions_find(struct swi_nvml_calls *calls)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(calls->library, functions[i].name);
        if (!found && functions[i].older)
            found = dlsym(calls->library, functions[i].older);
        memcpy((char *)calls + functions[i].at, &found, sizeof found);
    }
}

struct swi_nvml_calls *swi_nvml_calls_load(char *problem, size_t size, bool *missing)
{
    static const char *const names[] = {"libnvidia-ml.so.1", NULL};
    SW_ERROR_SCOPE(err);
    void *library = swi_library_open(names, &err);
    struct swi_nvml_calls *calls = library ? calloc(1, sizeof *calls) : NULL;
    *missing = !library;
    if (!library)
        snprintf(problem, size, "%s", sw_error_text(&err));
    else if (!calls)
        snprintf(problem, size, "out of memory");
    if (!calls)
        return NULL;
    calls->library = library; /* for as long as the process: its threads may run on */
    functions_find(calls);
    int rc = calls->init && calls->count && calls->by_index ? calls->init() : -1;
    if (rc == SWI_NVML_OK)
        return calls;
    if (rc < 0)
        snprintf(problem, size,
                 "libnvidia-ml.so.1 lacks nvmlInit_v2, nvmlDeviceGetCount_v2 or "
                 "nvmlDeviceGetHandleByIndex_v2");
    else
        snprintf(problem, size, "libnvidia-ml.so.1 cannot be used: %s",
                 calls->error ? calls->error(rc) : "nvmlInit failed");
    free(calls);
    return NULL;
}
