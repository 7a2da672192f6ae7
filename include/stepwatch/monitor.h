/* SPDX-License-Identifier: MIT */
/* monitor.h - for plugins that measure the machine or a device while the program trains.
 *
 * A plugin is a shared object NAME.so that exports one constant, `sw_monitor_plugin`. Core
 * allocates the monitor's state, sets it to zero and fills in its options from the YAML with the
 * table of options, as for a sink. A single thread of core calls open, sample and close of all
 * monitors, one at a time, so a monitor needs no lock. Only a monitor that a sink asks for, which
 * has a state of its own, runs on the thread of that sink. A monitor calls core only through its
 * struct sw_monitor, so it has no undefined symbol of stepwatch and loads into any program. */
#ifndef STEPWATCH_MONITOR_H
#define STEPWATCH_MONITOR_H

#include <stepwatch/sink.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/* ---- what a monitor can call ----------------------------------------------------------------- */

struct sw_monitor;

/** The table of services. Use the functions below instead. */
struct sw_monitor_services {
    size_t size;
    void (*value)(struct sw_monitor *monitor, const char *name, double value);
    void (*say)(struct sw_monitor *monitor, int level, const char *text);
    const char *(*environment)(struct sw_monitor *monitor, const char *name);
    void (*energy)(struct sw_monitor *monitor, double joules);
};

/** An open monitor: its access to core. Passed to open(), valid until close() has returned. */
struct sw_monitor {
    size_t size; /**< of this struct in core */
    const struct sw_monitor_services *services;
    const struct sw_run *run;
    const char *name; /**< "gpu", or "gpu-2" for the second instance of the plugin */
    void *user; /**< from sw_monitor_register(); NULL for a plugin that was loaded from a file */
    /** Whether the configuration names this monitor. If false, the user wrote `monitors: true`:
     * then print no message if the machine has nothing to measure. */
    bool asked;
    /** Name of the sink that takes the samples with sw_sink_sample(), or NULL. Then give what a
     * counter has done since the first sample instead of its rate, and leave out what takes long.
     */
    const char *sink;
};

/**
 * Adds one value to the current sample. Call it in sample() only.
 *
 * name: like "gpu/0/power_watts": the group, the device or part, and the quantity with its unit.
 * Copied.
 *
 * value: if it is unknown, do not call the function. Never pass 0 or a guess instead.
 */
SW_NOT_INSTRUMENTED_ static inline void sw_monitor_value(struct sw_monitor *monitor,
                                                         const char *name, double value)
{
    monitor->services->value(monitor, name, value);
}

/** Prints a message to the user as "monitor NAME: text", with a format as for printf(). level: 0
 * note, 1 warning, 2 error (enum sw_level). Only the first 20 messages are printed. */
SW_NOT_INSTRUMENTED_ __attribute__((format(printf, 3, 4))) static inline void
sw_monitor_say(struct sw_monitor *monitor, int level, const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    monitor->services->say(monitor, level, text);
}

/** Returns the value that an environment variable had during sw_open(), or NULL if it was not set.
 * Valid until close() has returned. Use it instead of getenv(). */
SW_NOT_INSTRUMENTED_ static inline const char *sw_monitor_getenv(struct sw_monitor *monitor,
                                                                 const char *name)
{
    return monitor->services->environment(monitor, name);
}

/**
 * Reports the energy used since the monitor was opened, for the line `J/sample` of the
 * report. Call it in sample() only, at most once in each. The energies of several monitors are
 * added up.
 *
 * joules: must never decrease. Do not count energy twice, such as that of a part and of the whole
 * that contains it.
 */
SW_NOT_INSTRUMENTED_ static inline void sw_monitor_energy(struct sw_monitor *monitor, double joules)
{
    monitor->services->energy(monitor, joules);
}

/* ---- the descriptor -------------------------------------------------------------------------- */

/** One sample to take. */
struct sw_sample {
    size_t size;     /**< of this struct in core */
    int64_t time_ns; /**< CLOCK_MONOTONIC, when the sample began. For rates, read that clock beside
                          each counter: a sample can be interrupted */
    bool last;       /**< the run is ending; no sample follows */
};

#define SW_MONITOR_MAGIC UINT32_C(0x494e4f4d) /**< "MONI" */
#define SW_MONITOR_ABI UINT32_C(1) /**< changes when old plugins can no longer be called */

/** The descriptor that a plugin exports as the constant `sw_monitor_plugin`. All callbacks except
 * sample may be NULL. */
struct sw_monitor_plugin {
    uint32_t magic; /**< SW_MONITOR_HEADER fills these four */
    uint32_t abi;
    uint32_t plugin_size;
    uint32_t option_size;
    const char *name; /**< [a-z][a-z0-9_]{0,31}, the file's name without .so */
    const char *version;
    const char *license;
    const char *summary; /**< one line */
    /** NULL: none. Without an option `interval` of the type SW_OPTION_DURATION, the monitor is
     * sampled every 15 s: see SW_MONITOR_INTERVAL(). In the YAML, `NAME: VALUE` instead of a
     * mapping sets the first option of the table. */
    const struct sw_option *options;
    size_t state_size;

    /** Opens the source, such as a device. It may take time: it runs on the thread of the monitors.
     * On failure, the monitor is not called again. */
    int (*open)(void *state, struct sw_monitor *monitor, struct sw_error *err);
    /** Takes a sample: calls sw_monitor_value() for each value. Leave out what cannot be read now.
     * Failures are counted and the first one is reported. After 10 failures in a row, the monitor
     * is not called again. */
    int (*sample)(void *state, const struct sw_sample *sample, struct sw_error *err);
    /** Closes the source. Called once after the last sample if open succeeded. Core frees the
     * state.
     */
    int (*close)(void *state, struct sw_error *err);
};

/** The first fields of a descriptor. Core refuses values that it does not know. */
#define SW_MONITOR_HEADER                                                                          \
    .magic = SW_MONITOR_MAGIC, .abi = SW_MONITOR_ABI,                                              \
    .plugin_size = sizeof(struct sw_monitor_plugin), .option_size = sizeof(struct sw_option)

/** A row of a table of options: the option `interval`, which says how often a monitor is sampled.
 * type_: the type of the state; field_: its field for the option, an int64_t. */
#define SW_MONITOR_INTERVAL(type_, field_)                                                         \
    {                                                                                              \
        .name = "interval", .type = SW_OPTION_DURATION, .offset = offsetof(type_, field_),         \
        .fallback = "15s", .min = 0.1, .max = 3600, .help = "time between two samples"             \
    }

/** Returns a descriptor with SW_MONITOR_HEADER and these texts, and 0 in all other fields: for C++
 * before C++20, which has no designated initializers, and for bindings. */
SW_NOT_INSTRUMENTED_ static inline struct sw_monitor_plugin
sw_monitor_plugin_make(const char *name, const char *version, const char *license,
                       const char *summary)
{
    struct sw_monitor_plugin plugin;
    memset(&plugin, 0, sizeof plugin);
    plugin.magic = SW_MONITOR_MAGIC;
    plugin.abi = SW_MONITOR_ABI;
    plugin.plugin_size = (uint32_t)sizeof(struct sw_monitor_plugin);
    plugin.option_size = (uint32_t)sizeof(struct sw_option);
    plugin.name = name;
    plugin.version = version;
    plugin.license = license;
    plugin.summary = summary;
    return plugin;
}

/** The name of the descriptor: a plugin's is sw_monitor_plugin. Define another one before you
 * include this header to link several monitors into one program. */
#ifndef SW_MONITOR_SYMBOL
#define SW_MONITOR_SYMBOL sw_monitor_plugin
#endif

/** The only symbol that a plugin exports. */
extern SW_SINK_EXPORT const struct sw_monitor_plugin SW_MONITOR_SYMBOL;

/* ---- what a program can call ----------------------------------------------------------------- */

/**
 * Registers a monitor that is part of the program, for static builds, language bindings and tests.
 * From the next sw_open() on, it takes precedence over any file of the same name.
 *
 * plugin: must be valid for the rest of the program; checked like a loaded plugin.
 *
 * user: passed to the monitor as monitor->user; may be NULL. It must be valid until sw_close() of
 * each profiler that uses the monitor.
 *
 * Returns 0, SW_ESINK (err says why it is refused), or SW_EINVAL if another plugin has the name.
 */
SW_API int sw_monitor_register(const struct sw_monitor_plugin *plugin, void *user,
                               struct sw_error *err);

/**
 * Logs a sample that the program took itself. The sinks get its values like those of a monitor,
 * with the training step and the time of the call. Any thread may call it.
 *
 * names, values: arrays of `count` elements; the names are copied.
 */
SW_API void sw_log_sample(struct sw_profiler *sw, const char *const *names, const double *values,
                          size_t count);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(int, sw_monitor_register,
        (const struct sw_monitor_plugin *plugin, void *user, struct sw_error *err),
        (sw_error_init(err), 0))
SW_OFF_(void, sw_log_sample,
        (struct sw_profiler *sw, const char *const *names, const double *values, size_t count), )
/* clang-format on */
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
