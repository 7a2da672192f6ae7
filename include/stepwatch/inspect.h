/* SPDX-License-Identifier: MIT */
/* inspect.h - inspects a configuration, and the available sinks and monitors, without running
 * anything.
 *
 * For tools: the command `stepwatch` uses it. */
#ifndef STEPWATCH_INSPECT_H
#define STEPWATCH_INSPECT_H

#include <stepwatch/monitor.h>
#include <stepwatch/sink.h>

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push /* the same text is C, and some functions have the name of a struct */
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wzero-as-null-pointer-constant"
#endif

/**
 * Checks a configuration file: everything that sw_open() checks, including the options of the
 * sinks, but opens no sink. Each plugin is first loaded in a child process: if it crashes, ends the
 * process or does not return, that is reported as a mistake.
 *
 * path: as for sw_open().
 *
 * text: set to all mistakes, one on each line as file:line:column: …, or NULL if there are none.
 * The caller must free() it.
 *
 * err: filled if the file cannot be checked at all; may be NULL.
 *
 * Returns the number of mistakes (0: none), or a negative code if the file cannot be read.
 */
SW_API int sw_config_check(const char *path, char **text, struct sw_error *err);

/**
 * Prints the configuration as sw_open() would use it: every option of the profiler and of each sink
 * with its value, as YAML. Secrets are masked.
 *
 * text: set to the YAML. The caller must free() it.
 *
 * Returns 0, or a negative code if the file has a mistake.
 */
SW_API int sw_config_print(const char *path, char **text, struct sw_error *err);

/** One sink that was found. */
struct sw_sink_found {
    const char *name;
    const char *path;                    /**< absolute, or "built in" for a registered one */
    const struct sw_sink_plugin *plugin; /**< NULL if it was refused; problem says why */
    const char *problem;                 /**< why it cannot be used; NULL if it can */
    bool shadowed;                       /**< an earlier folder has a sink of the same name */
};

/** The result of sw_sinks_find(). */
struct sw_sinks {
    size_t count;
    const struct sw_sink_found *item; /**< by name; of equal names, the one in use first */
};

/**
 * Finds all sinks: registered sinks, then those in plugin_path of the configuration, in
 * $STEPWATCH_PLUGIN_PATH and in the installed folder. Loads each plugin, but opens none.
 *
 * config: as for sw_open(). Only its plugin_path is used; mistakes elsewhere in it do not matter.
 *
 * sinks: set to the sinks. The caller must free them with sw_sinks_free().
 *
 * Returns the number of sinks found, or a negative code.
 */
SW_API int sw_sinks_find(const char *config, struct sw_sinks **sinks, struct sw_error *err);

/** Frees the result of sw_sinks_find(). Accepts NULL. Descriptors are invalid afterwards. */
SW_API void sw_sinks_free(struct sw_sinks *sinks);

/** One monitor that was found. */
struct sw_monitor_found {
    const char *name;
    const char *path;                       /**< absolute, or "built in" for a registered one */
    const struct sw_monitor_plugin *plugin; /**< NULL if it was refused; then problem says why */
    const char *problem;                    /**< NULL, or why it cannot be used */
    bool shadowed;                          /**< an earlier folder has a monitor of the same name */
};

/** The result of sw_monitors_find(). */
struct sw_monitors {
    size_t count;
    const struct sw_monitor_found *item; /**< by name; of equal names, the one in use first */
};

/**
 * Finds all monitors, as sw_sinks_find() finds sinks.
 *
 * monitors: set to the monitors. The caller must free them with sw_monitors_free().
 *
 * Returns the number of monitors found, or a negative code.
 */
SW_API int sw_monitors_find(const char *config, struct sw_monitors **monitors,
                            struct sw_error *err);

/** Frees the result of sw_monitors_find(). Accepts NULL. Descriptors are invalid afterwards. */
SW_API void sw_monitors_free(struct sw_monitors *monitors);

/**
 * Returns the keys of the mapping `profiler` as a table like that of a sink: type, default, range
 * or choices, and help.
 *
 * The table is static and ends with a name of NULL. A default of NULL depends on other keys; the
 * help says how. Ignore offset.
 */
SW_API const struct sw_option *sw_profiler_options(void);

/**
 * Reads the schedule of a configuration: key `schedule` of `profiler`.
 *
 * path: as for sw_open().
 *
 * schedule: set to the schedule; `given` is false if the configuration has none.
 *
 * on_demand: set to true if the key `capture` is given. With neither key, the whole run
 * is recorded. May be NULL.
 *
 * Returns 0, or a negative code if the file cannot be read, or cannot be understood because of a
 * mistake. Its sinks are not checked.
 */
SW_API int sw_config_schedule(const char *path, struct sw_schedule *schedule, bool *on_demand,
                              struct sw_error *err);

/**
 * Reads how a configuration profiles functions: key `functions` of `profiler`, or the mode
 * `advanced`.
 *
 * path: as for sw_open().
 *
 * times: set to "exact", "sampled", "sample" or "wall", valid until the end of the process; NULL if
 * no function is profiled.
 *
 * rate: set to the number of samples per second; 0 if it is not given.
 *
 * Returns 0, or a negative code as sw_config_schedule() does.
 */
SW_API int sw_config_functions(const char *path, const char **times, int *rate,
                               struct sw_error *err);

/**
 * Returns 1 if a configuration has a sink of this name, whether it is listed or added by an option
 * of the profiler, and 0 if not.
 *
 * path: as for sw_open().
 *
 * Returns a negative code as sw_config_schedule() does.
 */
SW_API int sw_config_has_sink(const char *path, const char *name, struct sw_error *err);

/**
 * Asks another process for a capture, as sw_capture() in that process would: it records the
 * training steps that follow the current one.
 *
 * pid: a process of the same user, with an open profiler whose configuration has the key `capture`.
 *
 * steps: how many; 0: as many as that configuration says.
 *
 * Returns how many steps were asked for; SW_EINVAL if the process does not exist or cannot be
 * asked; SW_EIO if its files cannot be read, such as those of another user's process.
 */
SW_API int64_t sw_capture_process(int64_t pid, int64_t steps, struct sw_error *err);

/* Calls that do nothing, for other platforms and STEPWATCH_DISABLE: see SW_DISABLED in error.h. */
#ifdef SW_DISABLED
/* clang-format off */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
SW_OFF_(int, sw_config_check,
        (const char *path, char **text, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(int, sw_config_print,
        (const char *path, char **text, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(int, sw_sinks_find,
        (const char *config, struct sw_sinks **sinks, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(void, sw_sinks_free, (struct sw_sinks *sinks), )
SW_OFF_(int, sw_monitors_find,
        (const char *config, struct sw_monitors **monitors, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(void, sw_monitors_free, (struct sw_monitors *monitors), )
SW_OFF_(int, sw_config_schedule,
        (const char *path, struct sw_schedule *schedule, bool *on_demand, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(int, sw_config_functions,
        (const char *path, const char **times, int *rate, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(int, sw_config_has_sink,
        (const char *path, const char *name, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
SW_OFF_(int64_t, sw_capture_process,
        (int64_t pid, int64_t steps, struct sw_error *err),
        sw_error_set(err, SW_EINVAL, SW_DISABLED_TEXT_))
/* clang-format on */
SW_API const struct sw_option *sw_profiler_options(void)
{
    static struct sw_option none; /* the end of a table */
    return &none;
}
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
