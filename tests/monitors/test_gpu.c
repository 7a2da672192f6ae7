/* SPDX-License-Identifier: MIT */
/* NVIDIA GPUs, by a made-up library of the driver: values, faults, old drivers, which devices. */
#include "monitors/gpu/nvml.h"
#include "tests/monitors/values.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MINUTE_NS INT64_C(60000000000)

static struct swi_nvml nvml;

/* Two devices, and more lines, which count before those in the file. */
static void devices_write(const char *more)
{
    char text[4096] = "";
    FILE *from = fopen(SRCDIR "/tests/golden/resources/nvml/two_devices.txt", "r");
    ck_assert_ptr_nonnull(from);
    size_t size = fread(text, 1, sizeof text - 1, from);
    fclose(from);
    snprintf(text + size, sizeof text - size, "%s", more);
    FILE *to = fopen("devices.txt", "w");
    ck_assert_ptr_nonnull(to);
    fputs(text, to);
    fclose(to);
}

/* The library of a soname that is loaded already is not looked for. */
static void library_load(void)
{
    ck_assert_msg(dlopen(BUILDDIR "/tests/monitors/libnvidia-ml.so.1", RTLD_NOW) != NULL, "%s",
                  dlerror());
    setenv("FAKE_NVML", scratch_path("devices.txt"), 1);
    setenv("FAKE_NVML_LOG", scratch_path("calls.txt"), 1);
}

static void open_with(const char *more, const char *visible)
{
    char problem[512];
    bool missing;
    scratch_enter();
    devices_write(more);
    library_load();
    memset(&nvml, 0, sizeof nvml);
    nvml.pid = 4242;
    nvml.pcie = true;
    swi_nvml_open(&nvml, values_monitor(NULL), problem, sizeof problem, &missing);
    ck_assert_str_eq(problem, "");
    swi_nvml_choose(&nvml, visible);
}

static void sample(int64_t time_ns)
{
    values_clear();
    swi_nvml_sample(&nvml, time_ns);
}

static int calls(const char *line)
{
    char text[128];
    int count = 0;
    FILE *log = fopen(scratch_path("calls.txt"), "r");
    while (log && fgets(text, sizeof text, log)) {
        text[strcspn(text, "\n")] = '\0';
        count += strcmp(text, line) == 0;
    }
    if (log)
        fclose(log);
    return count;
}

START_TEST(two_devices_have_exactly_the_expected_values)
{
    json_t *golden = golden_json("resources/nvml/expected.json");
    open_with("", NULL);
    sample(5);
    values_assert(json_object_get(golden, "stepwatch"), NULL);
    ck_assert_str_eq(values_said(), "");
    swi_nvml_close(&nvml);
    ck_assert_int_eq(calls("nvmlInit_v2 -"), 1);
    ck_assert_int_eq(calls("nvmlShutdown -"), 1);
    json_decref(golden);
}
END_TEST

START_TEST(what_a_device_does_not_have_is_asked_once)
{
    open_with("", NULL);
    sample(5);
    sample(6);
    sample(7);
    ck_assert_int_eq(calls("nvmlDeviceGetTotalEnergyConsumption 1"), 1);
    ck_assert_int_eq(calls("nvmlDeviceGetTotalEnergyConsumption 0"), 3);
    ck_assert_int_eq(calls("nvmlDeviceGetFanSpeed 0"), 1);
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(a_fault_is_of_one_value_and_one_sample)
{
    open_with("fault nvmlDeviceGetPowerUsage#0 999\n", NULL);
    for (int i = 0; i < 9; i++)
        sample(i);
    ck_assert(!values_has("gpu/0/power_watts"));
    ck_assert(!values_has("gpu/0/power_percent"));
    ck_assert_double_eq(values_get("gpu/0/power_limit_watts"), 700);
    ck_assert_double_eq(values_get("gpu/1/power_watts"), 15.25);
    devices_write("");
    sample(20);
    ck_assert_double_eq(values_get("gpu/0/power_watts"), 412.345);
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(ten_faults_in_a_row_end_a_value)
{
    open_with("fault nvmlDeviceGetTemperature 999\n", NULL);
    for (int i = 0; i < 12; i++)
        sample(i);
    ck_assert_int_eq(calls("nvmlDeviceGetTemperature 0"), 10);
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(a_lost_device_is_said_once_and_looked_for_each_minute)
{
    open_with("fault nvmlDeviceGetUtilizationRates#0 15\n", NULL);
    sample(5);
    ck_assert_str_eq(values_said(), "gpu/0: GPU is lost; it is looked for again every minute\n");
    ck_assert(!values_has("gpu/0/temperature_celsius"));
    ck_assert_double_eq(values_get("gpu/1/temperature_celsius"), 38);
    devices_write("");
    sample(MINUTE_NS - 1);
    ck_assert(!values_has("gpu/0/temperature_celsius"));
    sample(MINUTE_NS + 10);
    ck_assert_double_eq(values_get("gpu/0/temperature_celsius"), 63);
    ck_assert_str_eq(values_said(), "");
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(a_value_that_is_forbidden_is_said_once)
{
    open_with("fault nvmlDeviceGetPowerUsage#1 4\nfault nvmlDeviceGetClockInfo#1 4\n", NULL);
    sample(5);
    ck_assert_str_eq(values_said(), "gpu/1: some values are missing: Insufficient Permissions\n");
    sample(6);
    ck_assert_str_eq(values_said(), "");
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(without_a_driver_nothing_is_measured_and_the_problem_is_named)
{
    char problem[512];
    bool missing;
    scratch_enter();
    devices_write("fault nvmlInit_v2 9\n");
    library_load();
    memset(&nvml, 0, sizeof nvml);
    swi_nvml_open(&nvml, values_monitor(NULL), problem, sizeof problem, &missing);
    ck_assert(!missing);
    ck_assert_str_eq(problem, "libnvidia-ml.so.1 cannot be used: Driver Not Loaded");
    sample(5);
    ck_assert_uint_eq(values_count(), 0);
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(memory_of_the_first_form_is_used_where_the_second_is_refused)
{
    open_with("fault nvmlDeviceGetMemoryInfo_v2 25\n", NULL);
    sample(5);
    /* The driver's own part is in it. */
    ck_assert_double_eq(values_get("gpu/0/memory_used_bytes"), 21474836480.0 + 536870912.0);
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(many_processes_make_the_list_grow_and_unknown_bytes_are_left_out)
{
    char more[256];
    size_t used = (size_t)snprintf(more, sizeof more, "0.processes 4242:1000 4242:24");
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(more + used, sizeof more - used, " 9:1");
    snprintf(more + used, sizeof more - used, "\n1.processes 4242:n/a\n");
    open_with(more, NULL);
    sample(5);
    ck_assert_double_eq(values_get("gpu/0/process_memory_bytes"), 1024);
    ck_assert(!values_has("gpu/1/process_memory_bytes"));
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(a_child_belongs_to_its_process)
{
    pid_t pid = getpid();
    ck_assert(swi_is_own_process(pid, pid));
    ck_assert(swi_is_own_process(pid, getppid()));
    ck_assert(!swi_is_own_process(getppid(), pid));
    ck_assert(!swi_is_own_process(1 << 30, pid));
}
END_TEST

START_TEST(only_the_devices_of_cuda_visible_devices_are_sampled)
{
    open_with("", "GPU-aaaa");
    sample(5);
    ck_assert(!values_has("gpu/0/power_watts"));
    ck_assert_double_eq(values_get("gpu/1/power_watts"), 15.25);
    swi_nvml_close(&nvml);
    open_with("0.uuid MIG-5\n", "MIG-5");
    sample(5);
    ck_assert(values_has("gpu/0/power_watts"));
    ck_assert(!values_has("gpu/1/power_watts"));
    swi_nvml_close(&nvml);
}
END_TEST

START_TEST(cuda_visible_devices_is_read_as_cuda_does)
{
    json_t *golden = golden_json("resources/nvml/visible.json"), *one;
    char uuids[SWI_GPUS][SWI_GPU_UUID] = {""};
    size_t i, count = json_array_size(json_object_get(golden, "uuids"));
    json_array_foreach(json_object_get(golden, "uuids"), i, one)
        snprintf(uuids[i], sizeof uuids[i], "%s", json_string_value(one));
    json_array_foreach(json_object_get(golden, "cases"), i, one)
    {
        const char *value = json_string_value(json_object_get(one, "value"));
        const json_t *devices = json_object_get(one, "devices");
        struct swi_visible visible;
        swi_visible_read(&visible, value, uuids, count, NULL, NULL);
        ck_assert_msg(visible.count == json_array_size(devices), "%s: %zu devices",
                      value ? value : "unset", visible.count);
        for (size_t k = 0; k < visible.count; k++)
            ck_assert_int_eq(visible.index[k], json_integer_value(json_array_get(devices, k)));
    }
    ck_assert_uint_ge(i, 19);
    json_decref(golden);
}
END_TEST

SUITE(gpu)
{
    tcase_add_test(tc, two_devices_have_exactly_the_expected_values);
    tcase_add_test(tc, what_a_device_does_not_have_is_asked_once);
    tcase_add_test(tc, a_fault_is_of_one_value_and_one_sample);
    tcase_add_test(tc, ten_faults_in_a_row_end_a_value);
    tcase_add_test(tc, a_lost_device_is_said_once_and_looked_for_each_minute);
    tcase_add_test(tc, a_value_that_is_forbidden_is_said_once);
    tcase_add_test(tc, without_a_driver_nothing_is_measured_and_the_problem_is_named);
    tcase_add_test(tc, memory_of_the_first_form_is_used_where_the_second_is_refused);
    tcase_add_test(tc, many_processes_make_the_list_grow_and_unknown_bytes_are_left_out);
    tcase_add_test(tc, a_child_belongs_to_its_process);
    tcase_add_test(tc, only_the_devices_of_cuda_visible_devices_are_sampled);
    tcase_add_test(tc, cuda_visible_devices_is_read_as_cuda_does);
}
