/* SPDX-License-Identifier: MIT */
#include "monitors/gpu/nvml.h"

#include <stepwatch/stepwatch.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAILURES_MAX = 10, TRIES = 3, PROCESSES_FIRST = 32, PROCESSES_MOST = 1 << 16 };
#define LOOK_AGAIN_NS INT64_C(60000000000)

/* ---- what a call returned -------------------------------------------------------------------- */

static const char *error_text(const struct swi_nvml *nvml, int rc)
{
    return nvml->calls->error ? nvml->calls->error(rc) : "an error";
}

static void lose(struct swi_nvml *nvml, struct swi_nvml_device *device, int rc)
{
    device->lost = true;
    if (!device->lost_reported)
        sw_monitor_say(nvml->monitor, SW_WARNING, "gpu/%d: %s; it is looked for again every minute",
                       (int)(device - nvml->device), error_text(nvml, rc));
    device->lost_reported = true;
}

/* Returns whether a value was read. If not, decides whether to ask for it again. */
static bool took(struct swi_nvml *nvml, struct swi_nvml_device *device, enum swi_nvml_value value,
                 int rc)
{
    device->failures[value] = rc == SWI_NVML_OK ? 0 : device->failures[value] + 1;
    if (rc == SWI_NVML_OK)
        return true;
    if (rc == SWI_NVML_GPU_IS_LOST || rc == SWI_NVML_RESET_REQUIRED)
        lose(nvml, device, rc);
    else if (rc == SWI_NVML_NOT_SUPPORTED || rc == SWI_NVML_FUNCTION_NOT_FOUND ||
             rc == SWI_NVML_NO_PERMISSION || device->failures[value] >= FAILURES_MAX)
        device->off[value] = true;
    if (rc == SWI_NVML_NO_PERMISSION && !device->permission_reported) {
        device->permission_reported = true;
        sw_monitor_say(nvml->monitor, SW_WARNING, "gpu/%d: some values are missing: %s",
                       (int)(device - nvml->device), error_text(nvml, rc));
    }
    return false;
}

/* Asks for one value, if the library has the call and the device has the value. */
#define ASK(value_, call_, ...)                                                                    \
    (nvml->calls->call_ && !device->lost && !device->off[value_] &&                                \
     took(nvml, device, value_, nvml->calls->call_(device->handle, __VA_ARGS__)))

static void give(const struct swi_nvml *nvml, const struct swi_nvml_device *device, double value,
                 const char *name)
{
    char text[96];
    snprintf(text, sizeof text, "gpu/%d/%s", (int)(device - nvml->device), name);
    sw_monitor_value(nvml->monitor, text, value);
}

/* ---- values ---------------------------------------------------------------------------------- */

static void sample_load(struct swi_nvml *nvml, struct swi_nvml_device *device)
{
    struct swi_nvml_utilization utilization;
    unsigned number;
    if (ASK(SWI_NVML_UTILIZATION, utilization, &utilization)) {
        give(nvml, device, utilization.gpu, "utilization_percent");
        give(nvml, device, utilization.memory, "memory_utilization_percent");
    }
    if (ASK(SWI_NVML_TEMPERATURE, temperature, 0, &number))
        give(nvml, device, number, "temperature_celsius");
    if (ASK(SWI_NVML_CLOCK_SM, clock, 1, &number))
        give(nvml, device, number, "clock_sm_mhz");
    if (ASK(SWI_NVML_CLOCK_MEMORY, clock, 2, &number))
        give(nvml, device, number, "clock_memory_mhz");
    if (ASK(SWI_NVML_FAN, fan, &number))
        give(nvml, device, number, "fan_percent");
}

/* The first form counts what the driver keeps as used. An old driver has only that. */
static int memory_read(const struct swi_nvml *nvml, void *handle, double *total, double *used)
{
    struct swi_nvml_memory_v2 second = {.version = sizeof second | 2u << 24};
    struct swi_nvml_memory first;
    int rc = nvml->calls->memory_v2 ? nvml->calls->memory_v2(handle, &second)
                                    : SWI_NVML_VERSION_MISMATCH;
    *total = (double)second.total;
    *used = (double)second.used;
    if ((rc != SWI_NVML_VERSION_MISMATCH && rc != SWI_NVML_FUNCTION_NOT_FOUND) ||
        !nvml->calls->memory)
        return rc;
    rc = nvml->calls->memory(handle, &first);
    if (rc == SWI_NVML_OK) {
        *total = (double)first.total;
        *used = (double)first.used;
    }
    return rc;
}

static void sample_memory(struct swi_nvml *nvml, struct swi_nvml_device *device)
{
    double total, used;
    if (device->lost || device->off[SWI_NVML_MEMORY] ||
        !took(nvml, device, SWI_NVML_MEMORY, memory_read(nvml, device->handle, &total, &used)))
        return;
    give(nvml, device, total, "memory_total_bytes");
    give(nvml, device, used, "memory_used_bytes");
    if (total > 0)
        give(nvml, device, 100 * used / total, "memory_percent");
}

static void sample_power(struct swi_nvml *nvml, struct swi_nvml_device *device)
{
    unsigned power = 0, limit = 0;
    unsigned long long energy;
    bool has_power = ASK(SWI_NVML_POWER, power, &power);
    bool has_limit = ASK(SWI_NVML_POWER_LIMIT, power_limit, &limit);
    if (has_power)
        give(nvml, device, power / 1e3, "power_watts");
    if (has_limit)
        give(nvml, device, limit / 1e3, "power_limit_watts");
    if (has_power && has_limit && limit)
        give(nvml, device, 100.0 * power / limit, "power_percent");
    if (!ASK(SWI_NVML_ENERGY, energy, &energy))
        return;
    device->energy = (double)energy / 1e3;
    if (!device->has_energy || device->energy < device->energy_first)
        device->energy_first = device->energy;
    device->has_energy = true;
    give(nvml, device, device->energy, "energy_joules");
}

static void sample_errors(struct swi_nvml *nvml, struct swi_nvml_device *device)
{
    int now = 0, pending;
    unsigned long long errors;
    if (!ASK(SWI_NVML_ECC_MODE, ecc_mode, &now, &pending) || !now)
        return;
    if (ASK(SWI_NVML_ECC_CORRECTED, ecc_errors, 0, 0, &errors))
        give(nvml, device, (double)errors, "ecc_corrected");
    if (ASK(SWI_NVML_ECC_UNCORRECTED, ecc_errors, 1, 0, &errors))
        give(nvml, device, (double)errors, "ecc_uncorrected");
}

static void sample_pcie(struct swi_nvml *nvml, struct swi_nvml_device *device)
{
    unsigned kib;
    if (ASK(SWI_NVML_PCIE_RECEIVED, pcie, 1, &kib))
        give(nvml, device, kib * 1024.0, "pcie_received_bytes_per_s");
    if (ASK(SWI_NVML_PCIE_SENT, pcie, 0, &kib))
        give(nvml, device, kib * 1024.0, "pcie_sent_bytes_per_s");
}

/* ---- processes ------------------------------------------------------------------------------- */

static int processes_v1(const struct swi_nvml *nvml, void *handle, unsigned *count,
                        struct swi_nvml_process *list)
{
    struct swi_nvml_process_v1 *first = calloc(*count, sizeof *first);
    int rc = first ? nvml->calls->processes_v1(handle, count, first) : SWI_NVML_NOT_SUPPORTED;
    for (unsigned i = 0; rc == SWI_NVML_OK && i < *count; i++)
        list[i] = (struct swi_nvml_process){.pid = first[i].pid, .bytes = first[i].bytes};
    free(first);
    return rc;
}

/* Grows the list as long as it is too small; the caller's to free. */
static int processes_read(const struct swi_nvml *nvml, void *handle, unsigned *count,
                          struct swi_nvml_process **list)
{
    unsigned room = PROCESSES_FIRST;
    int rc = SWI_NVML_INSUFFICIENT_SIZE;
    for (int i = 0; i < TRIES && rc == SWI_NVML_INSUFFICIENT_SIZE && room < PROCESSES_MOST; i++) {
        struct swi_nvml_process *grown = realloc(*list, room * sizeof **list);
        if (!grown)
            break;
        *list = grown;
        *count = room;
        rc = nvml->calls->processes ? nvml->calls->processes(handle, count, grown)
                                    : processes_v1(nvml, handle, count, grown);
        room = *count > room ? *count : 2 * room;
    }
    return rc;
}

/* Only if all entries are known: one without its bytes would make the sum too small. */
static void sample_processes(struct swi_nvml *nvml, struct swi_nvml_device *device)
{
    struct swi_nvml_process *list = NULL;
    unsigned count = 0;
    double bytes = 0;
    bool any = false, known = true;
    if (device->lost || device->off[SWI_NVML_PROCESSES] ||
        (!nvml->calls->processes && !nvml->calls->processes_v1))
        return;
    int rc = processes_read(nvml, device->handle, &count, &list);
    bool fine = took(nvml, device, SWI_NVML_PROCESSES, rc);
    for (unsigned i = 0; fine && i < count; i++) {
        if (!swi_is_own_process((pid_t)list[i].pid, nvml->pid))
            continue;
        any = true;
        known = known && list[i].bytes != ~0ull;
        bytes += (double)list[i].bytes;
    }
    if (any && known)
        give(nvml, device, bytes, "process_memory_bytes");
    free(list);
}

/* ---- instances of a device that is divided --------------------------------------------------- */

static void sample_instance(struct swi_nvml *nvml, struct swi_nvml_device *device, unsigned i)
{
    void *instance;
    double total, used;
    char name[64];
    if (nvml->calls->mig_device(device->handle, i, &instance) != SWI_NVML_OK ||
        memory_read(nvml, instance, &total, &used) != SWI_NVML_OK)
        return;
    snprintf(name, sizeof name, "mig/%u/memory_total_bytes", i);
    give(nvml, device, total, name);
    snprintf(name, sizeof name, "mig/%u/memory_used_bytes", i);
    give(nvml, device, used, name);
    snprintf(name, sizeof name, "mig/%u/memory_percent", i);
    if (total > 0)
        give(nvml, device, 100 * used / total, name);
}

static void sample_instances(struct swi_nvml *nvml, struct swi_nvml_device *device)
{
    unsigned now = 0, pending, count = 0;
    if (!ASK(SWI_NVML_MIG, mig_mode, &now, &pending) || !now || !nvml->calls->mig_count ||
        !nvml->calls->mig_device || nvml->calls->mig_count(device->handle, &count) != SWI_NVML_OK)
        return;
    for (unsigned i = 0; i < count && i < SWI_GPUS; i++)
        sample_instance(nvml, device, i);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void device_find_again(struct swi_nvml *nvml, struct swi_nvml_device *device,
                              int64_t time_ns)
{
    if (!device->look_ns)
        device->look_ns = time_ns + LOOK_AGAIN_NS;
    if (time_ns < device->look_ns)
        return;
    device->look_ns = 0;
    unsigned index = (unsigned)(device - nvml->device);
    device->lost = nvml->calls->by_index(index, &device->handle) != SWI_NVML_OK;
}

static void device_sample(struct swi_nvml *nvml, struct swi_nvml_device *device, int64_t time_ns)
{
    if (device->lost)
        device_find_again(nvml, device, time_ns);
    sample_load(nvml, device);
    sample_memory(nvml, device);
    sample_power(nvml, device);
    sample_errors(nvml, device);
    if (nvml->pcie)
        sample_pcie(nvml, device);
    sample_processes(nvml, device);
    sample_instances(nvml, device);
    if (device->lost && !device->look_ns)
        device->look_ns = time_ns + LOOK_AGAIN_NS;
}

void swi_nvml_sample(struct swi_nvml *nvml, int64_t time_ns)
{
    for (size_t i = 0; i < nvml->count; i++)
        if (nvml->device[i].sampled)
            device_sample(nvml, &nvml->device[i], time_ns);
}

bool swi_nvml_energy(const struct swi_nvml *nvml, double *joules)
{
    bool any = false;
    *joules = 0;
    for (size_t i = 0; i < nvml->count; i++) {
        any |= nvml->device[i].has_energy;
        *joules += nvml->device[i].energy - nvml->device[i].energy_first;
    }
    return any;
}

static void devices_find(struct swi_nvml *nvml)
{
    unsigned count = 0;
    int rc = nvml->calls->count(&count);
    if (rc != SWI_NVML_OK)
        sw_monitor_say(nvml->monitor, SW_WARNING, "the NVIDIA GPUs cannot be counted: %s",
                       error_text(nvml, rc));
    nvml->count = rc != SWI_NVML_OK ? 0 : count < SWI_GPUS ? count : SWI_GPUS;
    for (unsigned i = 0; i < nvml->count; i++) {
        struct swi_nvml_device *device = &nvml->device[i];
        rc = nvml->calls->by_index(i, &device->handle);
        if (rc != SWI_NVML_OK)
            lose(nvml, device, rc);
        else if (nvml->calls->uuid)
            nvml->calls->uuid(device->handle, nvml->uuid[i], SWI_GPU_UUID);
    }
}

void swi_nvml_open(struct swi_nvml *nvml, struct sw_monitor *monitor, char *problem, size_t size,
                   bool *missing)
{
    *problem = '\0';
    nvml->monitor = monitor;
    nvml->calls = swi_nvml_calls_load(problem, size, missing);
    if (nvml->calls)
        devices_find(nvml);
}

static int mig_parent(void *arg, const char *uuid)
{
    const struct swi_nvml *nvml = arg;
    void *instance, *device;
    if (!nvml->calls->by_uuid || nvml->calls->by_uuid(uuid, &instance) != SWI_NVML_OK)
        return -1;
    if (!nvml->calls->mig_parent || nvml->calls->mig_parent(instance, &device) != SWI_NVML_OK)
        device = instance;
    for (size_t i = 0; i < nvml->count; i++)
        if (nvml->device[i].handle == device)
            return (int)i;
    return -1;
}

void swi_nvml_choose(struct swi_nvml *nvml, const char *value)
{
    struct swi_visible visible;
    swi_visible_read(&visible, value, nvml->uuid, nvml->count, mig_parent, nvml);
    for (size_t i = 0; i < visible.count; i++)
        nvml->device[visible.index[i]].sampled = true;
}

void swi_nvml_close(struct swi_nvml *nvml)
{
    if (nvml->calls && nvml->calls->shutdown)
        nvml->calls->shutdown();
    free(nvml->calls);
    nvml->calls = NULL;
    nvml->count = 0;
}
