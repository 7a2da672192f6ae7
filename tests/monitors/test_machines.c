/* SPDX-License-Identifier: MIT */
/* The metrics of made-up machines, of which there are files like those of the kernel at two times.
 * Each file in tests/golden/resources/machines is one. */
#include "monitors/gpu/cards.h"
#include "monitors/rapl/zones.h"
#include "monitors/system/machine_use.h"
#include "tests/monitors/values.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"
#include "tests/support/suite.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- a machine's files ----------------------------------------------------------------------- */

static void folders_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void files_write(const char *folder, const json_t *files)
{
    const char *name;
    json_t *text;
    json_object_foreach((json_t *)files, name, text)
    {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        folders_make(path);
        FILE *file = fopen(path, "w");
        ck_assert_msg(file != NULL, "%s", path);
        fputs(json_string_value(text), file);
        fclose(file);
    }
}

/* A path below the scratch folder, which stays valid. */
static char *folder_of(const char *machine, const char *time)
{
    char name[128], *path;
    snprintf(name, sizeof name, "%s-%s", machine, time);
    ck_assert_int_gt(asprintf(&path, "%s", scratch_path(name)), 0);
    return path;
}

static char *machine_write(const json_t *machine, const char *name, const char *time)
{
    const json_t *files = json_object_get(machine, "files");
    char *folder = folder_of(name, time);
    files_write(folder, json_object_get(files, "both"));
    files_write(folder, json_object_get(files, time));
    return folder;
}

/* ---- all monitors of one --------------------------------------------------------------------- */

struct sampled {
    struct swi_system system;
    struct swi_zones zones;
    struct swi_cards cards;
    struct sw_monitor *monitor;
};

static void sample(struct sampled *s, const char *root, int64_t time_ns, bool last)
{
    struct swi_memory_left memory;
    s->system.machine.root = root;
    s->system.time_ns = time_ns;
    swi_memory_find(&s->system.machine, &memory);
    swi_sample_process(&s->system, &memory);
    swi_sample_cpu(&s->system);
    swi_sample_memory(&s->system, &memory);
    swi_sample_disks(&s->system);
    swi_sample_network(&s->system);
    swi_sample_sensors(&s->system);
    swi_sample_pressure(&s->system);
    swi_zones_sample(&s->zones, &s->system.machine, s->monitor, time_ns, last);
    swi_cards_sample(&s->cards, &s->system.machine, s->monitor, 0, time_ns);
}

static int64_t input(const json_t *machine, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(machine, "inputs"), name));
}

static void begin(struct sampled *s, const json_t *machine, const char *root)
{
    *s = (struct sampled){.monitor = values_monitor(NULL)};
    s->system.monitor = s->monitor;
    s->system.machine = (struct swi_machine){.root = root,
                                             .ticks_per_s = input(machine, "clock_ticks_per_s"),
                                             .page_size = input(machine, "page_size")};
    swi_zones_find(&s->zones, &s->system.machine);
    swi_cards_find(&s->cards, &s->system.machine);
}

static void end(struct sampled *s)
{
    swi_rate_readings_free(&s->system.rates);
    swi_cards_free(&s->cards);
}

static void machine_check(const char *name)
{
    struct sampled s;
    json_t *machine = golden_json("resources/machines/%s.json", name);
    char *first = machine_write(machine, name, "t0"), *second = machine_write(machine, name, "t1");
    begin(&s, machine, first);
    sample(&s, first, 5000, false);
    values_clear();
    sample(&s, second, 5000 + input(machine, "elapsed_ns"), false);
    values_assert(json_object_get(machine, "expected"), NULL);
    end(&s);
    free(first);
    free(second);
    json_decref(machine);
}

/* The kernel counts both for itself, and they are read one after the other. */
START_TEST(a_group_has_no_more_memory_left_than_its_limit)
{
    struct swi_memory_left memory;
    json_t *files =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "proc/meminfo",
                  "MemTotal: 8000 kB\nMemAvailable: 4000 kB\n", "proc/self/cgroup", "0::/\n",
                  "sys/fs/cgroup/memory.max", "4096000\n", "sys/fs/cgroup/memory.current", "1000\n",
                  "sys/fs/cgroup/memory.stat", "inactive_file 5000\n");
    scratch_enter();
    char *root = folder_of("left", "t0");
    files_write(root, files);
    swi_memory_find(&(struct swi_machine){.root = root}, &memory);
    ck_assert_double_eq(memory.total, 4096000);
    ck_assert_double_eq(memory.available, 4096000);
    free(root);
    json_decref(files);
}
END_TEST

START_TEST(each_made_up_machine_has_exactly_the_expected_metrics)
{
    int machines = 0;
    DIR *dir = opendir(SRCDIR "/tests/golden/resources/machines");
    ck_assert_ptr_nonnull(dir);
    scratch_enter();
    for (struct dirent *entry; (entry = readdir(dir));) {
        char *dot = strstr(entry->d_name, ".json");
        if (!dot)
            continue;
        *dot = '\0';
        machine_check(entry->d_name);
        machines++;
    }
    closedir(dir);
    ck_assert_int_ge(machines, 5);
}
END_TEST

static char *made(const char *const (*files)[2], const char *name)
{
    char *folder = folder_of(name, "t0");
    for (; (*files)[0]; files++) {
        json_t *one = json_pack("{s:s}", (*files)[0], (*files)[1]);
        files_write(folder, one);
        json_decref(one);
    }
    return folder;
}

static void sample_made(struct sampled *s, const char *root, int64_t time_ns, bool last)
{
    values_clear();
    sample(s, root, time_ns, last);
}

START_TEST(the_first_sample_has_no_rates)
{
    static const char *const files[][2] = {
        {"proc/stat", "cpu  1 2 3 4 5 6 7 8 9 10\n"},
        {"proc/net/dev", "a\n b\n eth0: 5 0 0 0 0 0 0 0 6 0\n"},
        {"proc/diskstats", " 8 0 sda 1 1 8 1 1 1 16 1\n"},
        {"sys/block/sda/dev", "8:0\n"},
        {"sys/class/powercap/intel-rapl:0/energy_uj", "5\n"},
        {NULL, NULL},
    };
    json_t *machine =
        json_pack("{s:{s:i,s:i}}", "inputs", "clock_ticks_per_s", 100, "page_size", 4096);
    struct sampled s;
    scratch_enter();
    char *root = made(files, "first");
    begin(&s, machine, root);
    sample_made(&s, root, 5, false);
    ck_assert_uint_eq(values_count(), 0);
    sample_made(&s, root, 1000000005, false);
    ck_assert_double_eq(values_get("system/network/received_bytes_per_s"), 0);
    ck_assert_double_eq(values_get("system/disk/sda/read_bytes_per_s"), 0);
    ck_assert(!values_has("system/cpu_percent"));
    end(&s);
    free(root);
    json_decref(machine);
}
END_TEST

/* For a sink that asks for them: its service has sums since the start, and the whole machine. */
START_TEST(a_sink_gets_sums_in_place_of_rates)
{
    json_t *machine = golden_json("resources/machines/v2.json"), *rate;
    double elapsed_s = (double)input(machine, "elapsed_ns") * 1e-9;
    const char *name;
    int rates = 0;
    struct sampled s;
    scratch_enter();
    char *first = machine_write(machine, "sums", "t0"),
         *second = machine_write(machine, "sums", "t1");
    begin(&s, machine, first);
    s.system.sums = true;
    sample_made(&s, first, 5000, false);
    ck_assert_double_eq(values_get("system/network/sent_bytes"), 0);
    sample_made(&s, second, 5000 + input(machine, "elapsed_ns"), false);
    json_object_foreach(json_object_get(machine, "expected"), name, rate)
    {
        size_t length = strlen(name);
        char bare[128];
        if (length < 6 || strcmp(name + length - 6, "_per_s") != 0)
            continue;
        snprintf(bare, sizeof bare, "%.*s", (int)(length - 6), name);
        ck_assert_double_eq_tol(values_get(bare), json_number_value(rate) * elapsed_s, 1e-6);
        ck_assert(!values_has(name));
        rates++;
    }
    ck_assert_int_ge(rates, 9);
    double total = 226492416.0 * 1024, left = 113246790.0 * 1024;
    ck_assert_double_eq_tol(values_get("system/machine/memory_used_bytes"), total - left, 1);
    ck_assert_double_eq_tol(values_get("system/machine/memory_percent"),
                            100 * (total - left) / total, 1e-9);
    end(&s);
    free(first);
    free(second);
    json_decref(machine);
}
END_TEST

START_TEST(chips_of_one_name_are_numbered_and_zones_are_for_machines_without_chips)
{
    static const char *const chips[][2] = {
        {"sys/class/hwmon/hwmon2/name", "nvme\n"},
        {"sys/class/hwmon/hwmon2/temp1_input", "40000\n"},
        {"sys/class/hwmon/hwmon2/temp1_label", "Composite\n"},
        {"sys/class/hwmon/hwmon10/name", "nvme\n"},
        {"sys/class/hwmon/hwmon10/temp1_input", "-1500\n"},
        {"sys/class/thermal/thermal_zone0/type", "acpitz\n"},
        {"sys/class/thermal/thermal_zone0/temp", "27800\n"},
        {NULL, NULL},
    };
    json_t *machine =
        json_pack("{s:{s:i,s:i}}", "inputs", "clock_ticks_per_s", 100, "page_size", 4096);
    struct sampled s;
    scratch_enter();
    char *root = made(chips, "chips");
    begin(&s, machine, root);
    sample_made(&s, root, 5, false);
    ck_assert_double_eq(values_get("system/temperature/nvme/Composite"), 40);
    ck_assert_double_eq(values_get("system/temperature/nvme-2/temp1"), -1.5);
    ck_assert_uint_eq(values_count(), 2);
    end(&s);
    free(root);
    root = made(chips + 5, "zones");
    begin(&s, machine, root);
    sample_made(&s, root, 5, false);
    ck_assert_double_eq(values_get("system/temperature/acpitz/temp"), 27.8);
    end(&s);
    free(root);
    json_decref(machine);
}
END_TEST

static void number_write(const char *root, const char *file, int number)
{
    json_t *text = json_sprintf("%d\n", number), *one = json_pack("{s:o}", file, text);
    files_write(root, one);
    json_decref(one);
}

/* A processor has five files for each of its cores, which readdir() returns in any order. */
START_TEST(a_chip_with_many_sensors_has_them_all)
{
    enum { CORES = 65 };
    static const char *const kinds[] = {"input", "label", "max", "crit", "crit_alarm"};
    json_t *machine =
        json_pack("{s:{s:i,s:i}}", "inputs", "clock_ticks_per_s", 100, "page_size", 4096);
    struct sampled s;
    char file[96];
    scratch_enter();
    char *root = folder_of("cores", "t0");
    for (int i = 0; i < 5 * CORES; i++) {
        snprintf(file, sizeof file, "sys/class/hwmon/hwmon0/temp%d_%s", i / 5 + 1, kinds[i % 5]);
        number_write(root, file, 1000 * (i / 5));
    }
    begin(&s, machine, root);
    sample_made(&s, root, 5, false);
    ck_assert_uint_eq(values_count(), CORES);
    ck_assert_double_eq(values_get("system/temperature/hwmon0/64000"), 64);
    end(&s);
    free(root);
    json_decref(machine);
}
END_TEST

static void interfaces_write(const char *root, int interfaces, int64_t bytes)
{
    char text[64 * 1024];
    size_t used = (size_t)snprintf(text, sizeof text, "Inter-|\n face |\n");
    for (int i = 0; i < interfaces; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "veth%08d: %12" PRId64 " 0 0 0 0 0 0 0 %12" PRId64
                                 " 0 0 0 0 0 0 0                   \n",
                                 i, bytes, 2 * bytes);
    json_t *one = json_pack("{s:s}", "proc/net/dev", text);
    files_write(root, one);
    json_decref(one);
}

/* As a machine with many containers. Its file is longer than most of the kernel's. */
START_TEST(the_rate_of_many_interfaces_is_that_of_all)
{
    enum { INTERFACES = 500 };
    json_t *machine =
        json_pack("{s:{s:i,s:i}}", "inputs", "clock_ticks_per_s", 100, "page_size", 4096);
    struct sampled s;
    scratch_enter();
    char *root = folder_of("interfaces", "t0");
    interfaces_write(root, INTERFACES, 1000000);
    begin(&s, machine, root);
    sample_made(&s, root, 5, false);
    interfaces_write(root, INTERFACES, 1000010);
    sample_made(&s, root, 1000000005, false);
    ck_assert_double_eq(values_get("system/network/received_bytes_per_s"), 10 * INTERFACES);
    ck_assert_double_eq(values_get("system/network/sent_bytes_per_s"), 20 * INTERFACES);
    end(&s);
    free(root);
    json_decref(machine);
}
END_TEST

/* ---- what the kernel says in another way than it seems ---- */

static void machine_sample(const json_t *files, const char *time, struct sampled *s,
                           int64_t time_ns)
{
    char *root = folder_of("facts", time);
    files_write(root, files);
    sample_made(s, root, time_ns, false);
    free(root);
}

static void sampled_begin(struct sampled *s)
{
    json_t *machine =
        json_pack("{s:{s:i,s:i}}", "inputs", "clock_ticks_per_s", 100, "page_size", 4096);
    scratch_enter();
    begin(s, machine, scratch_path(""));
    json_decref(machine);
}

/* A virtual machine may have room for more CPUs than it has. */
START_TEST(cpus_that_are_not_there_are_not_available)
{
    static const struct {
        const char *allowed, *online;
        double cpus;
    } cases[] = {{"0-127", "0-3", 4}, {"2-5,8", "0-3,8-9", 3}, {"0-7", NULL, 8}, {"1", "0-1", 1}};
    char status[128];
    struct sampled s;
    sampled_begin(&s);
    snprintf(status, sizeof status, "Name:\tx\nCpus_allowed_list:\t%s\nThreads:\t3\n",
             cases[_i].allowed);
    json_t *files = json_pack("{s:s}", "proc/self/status", status);
    if (cases[_i].online)
        json_object_set_new(files, "sys/devices/system/cpu/online", json_string(cases[_i].online));
    machine_sample(files, "t0", &s, 5);
    ck_assert_double_eq(values_get("process/cpus_available"), cases[_i].cpus);
    json_decref(files);
    end(&s);
}
END_TEST

/* Directory services put users into hundreds of groups. */
START_TEST(what_stands_behind_a_thousand_groups_is_read)
{
    static char status[32768];
    struct sampled s;
    sampled_begin(&s);
    size_t used = (size_t)snprintf(status, sizeof status, "Name:\tx\nGroups:\t");
    for (int i = 0; i < 1000; i++)
        used += (size_t)snprintf(status + used, sizeof status - used, "%d ", 1000000000 + i);
    snprintf(status + used, sizeof status - used, "\nVmHWM:\t1000 kB\nThreads:\t3\n");
    json_t *files = json_pack("{s:s}", "proc/self/status", status);
    machine_sample(files, "t0", &s, 5);
    ck_assert_double_eq(values_get("process/threads"), 3);
    ck_assert_double_eq(values_get("process/peak_rss_bytes"), 1024000);
    json_decref(files);
    end(&s);
}
END_TEST

/* Each pair is an interface and a file that the kernel has for it; the first one counts. */
static const char *const stacks[][8] = {
    {"eth0", "device/vendor", "bond0", "bonding/mode", "br0", "bridge/bridge_id", "veth1", "type"},
    {"eth0", "device/vendor", "eth0.5", "lower_eth0/type", "tun0", "tun_flags", "wg0", "type"},
    {"eth0", "type", "docker0", "bridge/bridge_id", "veth1", "brport/state", "tun0", "tun_flags"},
    {"eth0", "type", "macvlan0", "lower_eth0/type", "bond0", "bonding/mode", "tap0", "tun_flags"},
};

static json_t *stack_files(const char *const *stack, int bytes)
{
    char text[1024], name[64];
    size_t used = (size_t)snprintf(text, sizeof text, "Inter-|\n face |\n lo: 7 0 0 0 0 0 0 0 7\n");
    json_t *files = json_object();
    for (size_t i = 0; i < 8; i += 2) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "%s: %d 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0\n", stack[i], bytes, bytes);
        snprintf(name, sizeof name, "sys/class/net/%s/%s", stack[i], stack[i + 1]);
        json_object_set_new(files, name, json_string("1\n"));
    }
    json_object_set_new(files, "proc/net/dev", json_string(text));
    return files;
}

START_TEST(a_byte_that_goes_through_many_interfaces_counts_once)
{
    struct sampled s;
    sampled_begin(&s);
    json_t *before = stack_files(stacks[_i], 1000), *after = stack_files(stacks[_i], 1500);
    machine_sample(before, "t0", &s, 5);
    machine_sample(after, "t1", &s, 1000000005);
    ck_assert_double_eq(values_get("system/network/received_bytes_per_s"), 500);
    ck_assert_double_eq(values_get("system/network/sent_bytes_per_s"), 500);
    json_decref(before);
    json_decref(after);
    end(&s);
}
END_TEST

START_TEST(energy_since_the_beginning_comes_with_the_last_sample_and_wraps)
{
    static const char *const before[][2] = {
        {"sys/class/powercap/intel-rapl:0/name", "package-0\n"},
        {"sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n"},
        {"sys/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n"},
        {"sys/class/powercap/intel-rapl:0:0/name", "dram\n"},
        {"sys/class/powercap/intel-rapl:0:0/energy_uj", "0\n"},
        {"sys/class/powercap/intel-rapl-mmio:0/name", "package-0\n"},
        {"sys/class/powercap/intel-rapl-mmio:0/energy_uj", "9000000\n"},
        {NULL, NULL},
    };
    static const char *const after[][2] = {
        {"sys/class/powercap/intel-rapl:0/energy_uj", "2000000\n"},
        {"sys/class/powercap/intel-rapl:0:0/energy_uj", "1000000\n"},
        {NULL, NULL},
    };
    json_t *machine =
        json_pack("{s:{s:i,s:i}}", "inputs", "clock_ticks_per_s", 100, "page_size", 4096);
    struct sampled s;
    double joules;
    scratch_enter();
    char *root = made(before, "energy");
    begin(&s, machine, root);
    sample_made(&s, root, 5, false);
    free(made(after, "energy"));
    sample_made(&s, root, 1000000005, true);
    ck_assert_double_eq_tol(values_get("energy/package-0/watts"), 3, 1e-9);
    ck_assert_double_eq_tol(values_get("energy/package-0/joules"), 3, 1e-9);
    ck_assert_double_eq_tol(values_get("energy/package-0/dram/joules"), 1, 1e-9);
    ck_assert_uint_eq(values_count(), 4);
    ck_assert(swi_zones_energy(&s.zones, &joules)); /* the package has its memory's */
    ck_assert_double_eq_tol(joules, 3, 1e-9);
    end(&s);
    free(root);
    json_decref(machine);
}
END_TEST

/* Given a sample that is interrupted behind its beginning, while the program goes on computing,
 * then the share of its CPUs is that of the time in which it computed. */
START_TEST(an_interrupted_sample_of_this_process_has_its_true_share)
{
    struct sampled s = {.monitor = values_monitor(NULL)};
    struct swi_memory_left memory = {0};
    s.system.monitor = s.monitor;
    s.system.machine = swi_machine_here(NULL);
    s.system.time_ns = swi_machine_now(&s.system.machine, 0);
    swi_sample_process(&s.system, &memory);
    s.system.time_ns = swi_machine_now(&s.system.machine, 0) + 1000000;
    while (swi_machine_now(&s.system.machine, 0) < s.system.time_ns + 80000000) {
    }
    swi_sample_process(&s.system, &memory);
    ck_assert_double_gt(values_get("process/cpus_used"), 0);
    ck_assert_double_le(values_get("process/cpus_used"), 1.05); /* it has one thread */
    end(&s);
}
END_TEST

/* Given the last sample of a run right behind another, then it has no rates. */
START_TEST(a_sample_right_behind_another_has_no_rates)
{
    struct sampled s = {.monitor = values_monitor(NULL)};
    struct swi_memory_left memory = {0};
    s.system.monitor = s.monitor;
    s.system.machine = swi_machine_here(NULL);
    swi_sample_process(&s.system, &memory);
    int64_t first = swi_machine_now(&s.system.machine, 0);
    swi_sample_process(&s.system, &memory);
    if (swi_machine_now(&s.system.machine, 0) - first < SWI_RATE_SHORTEST_NS)
        ck_assert(!values_has("process/cpus_used"));
    end(&s);
}
END_TEST

SUITE(machines)
{
    tcase_add_test(tc, a_sample_right_behind_another_has_no_rates);
    tcase_add_test(tc, an_interrupted_sample_of_this_process_has_its_true_share);
    tcase_add_loop_test(tc, cpus_that_are_not_there_are_not_available, 0, 4);
    tcase_add_test(tc, what_stands_behind_a_thousand_groups_is_read);
    tcase_add_loop_test(tc, a_byte_that_goes_through_many_interfaces_counts_once, 0, 4);
    tcase_add_test(tc, a_chip_with_many_sensors_has_them_all);
    tcase_add_test(tc, the_rate_of_many_interfaces_is_that_of_all);
    tcase_add_test(tc, a_group_has_no_more_memory_left_than_its_limit);
    tcase_add_test(tc, each_made_up_machine_has_exactly_the_expected_metrics);
    tcase_add_test(tc, the_first_sample_has_no_rates);
    tcase_add_test(tc, a_sink_gets_sums_in_place_of_rates);
    tcase_add_test(tc, chips_of_one_name_are_numbered_and_zones_are_for_machines_without_chips);
    tcase_add_test(tc, energy_since_the_beginning_comes_with_the_last_sample_and_wraps);
}
