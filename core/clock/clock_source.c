/* SPDX-License-Identifier: MIT */
#include "core/clock/clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* ---- the kernel's clocks --------------------------------------------------------------------- */

bool swi_counter_trapped(void)
{
    int mode = 0;
    return prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 && mode == PR_TSC_SIGSEGV;
}

/* Whether a clock was opened while reading the counter traps. */
static atomic_bool by_system_call;

void swi_time(clockid_t id, struct timespec *time)
{
    if (!atomic_load_explicit(&by_system_call, memory_order_relaxed))
        clock_gettime(id, time);
    else if (syscall(SYS_clock_gettime, id, time) != 0)
        *time = (struct timespec){0};
}

int64_t swi_monotonic_ns(void)
{
    struct timespec t;
    swi_time(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t monotonic(void *arg)
{
    (void)arg;
    return swi_monotonic_ns();
}

/* ---- the counter ----------------------------------------------------------------------------- */

/* The kernel stops using the counter as its clock source if the counters of the CPUs do not agree,
 * so its choice is followed. */
static bool kernel_trusts(const char *source)
{
    char text[32] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    if (!file)
        return false;
    bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    text[strcspn(text, "\n")] = '\0';
    return read && strcmp(text, source) == 0;
}

/* STEPWATCH_CLOCK=monotonic is for machines whose kernel is wrong about the counter, and for
 * comparisons. */
static bool wanted(const char *name)
{
    const char *clock = secure_getenv("STEPWATCH_CLOCK");
    return clock && strcmp(clock, name) == 0;
}

/* invariant: what the CPU reports. source: the kernel's name of its counter. */
static bool usable(bool invariant, const char *source)
{
    return !swi_counter_trapped() &&
           (wanted("counter") || (invariant && !wanted("monotonic") && kernel_trusts(source)));
}

#if defined(__x86_64__)
static bool counter_usable(void)
{
    unsigned a, b, c, d;
    /* Leaf 0x80000007, EDX bit 8: invariant TSC (Intel SDM 18.17.1, AMD APM 3 E.4.6). */
    bool invariant = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
    return usable(invariant, "tsc");
}

/* Leaf 0x16, EAX: the base frequency in MHz, which is nearly that of the counter. Only Intel has
 * it. */
static double nominal_rate(void)
{
    unsigned a = 0, b, c, d;
    bool reported = __get_cpuid(0x16, &a, &b, &c, &d) && (a & 0xffff);
    return 1e3 / (reported ? a & 0xffff : 2500);
}
#elif defined(__aarch64__)
static bool counter_usable(void)
{
    return usable(true, "arch_sys_counter");
}

static double nominal_rate(void)
{
    uint64_t hertz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hertz));
    return hertz ? 1e9 / (double)hertz : 1;
}
#else
static bool counter_usable(void)
{
    return false;
}

static double nominal_rate(void)
{
    return 1;
}
#endif

static int64_t counter(void *arg)
{
    (void)arg;
    return swi_counter();
}

bool swi_clock_source_init(struct swi_clock_source *source)
{
    *source = (struct swi_clock_source){counter, monotonic, NULL, nominal_rate()};
    if (swi_counter_trapped())
        atomic_store(&by_system_call, true);
    return counter_usable();
}
