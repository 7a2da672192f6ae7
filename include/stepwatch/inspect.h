/* SPDX-License-Identifier: MIT */
/* inspect.h - look at a configuration and at the sinks that can be found, without running anything.
 *
 * For tools: the command `stepwatch` is made of it. */
#ifndef STEPWATCH_INSPECT_H
#define STEPWATCH_INSPECT_H

#include <stepwatch/sink.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Checks a configuration file: everything sw_open() would check, sinks' options included, opening
 * no sink. Each plugin is loaded by a child process first: one that crashes, ends the process or
 * does not come back is a mistake like any other.
 *
 * path: as for sw_open().
 * text: set to all mistakes, one a line as file:line:column: …, NULL when there are none; the
 * caller's to free(). err:  filled when the file cannot be checked at all; may be NULL.
 *
 * Returns the number of mistakes (0: fine), or a negative code when the file cannot be read.
 */
SW_API int sw_config_check(const char *path, char **text, struct sw_error *err);

/**
 * Gives the configuration as sw_open() would use it: every option of the profiler and of each sink
 * with its value, as YAML, secrets masked.
 *
 * text: set to the YAML; the caller's to free(). Returns 0, or a negative code when the file has a
 * mistake.
 */
SW_API int sw_config_print(const char *path, char **text, struct sw_error *err);

/** One sink that was found. */
struct sw_sink_found {
    const char *name;
    const char *path;                    /**< absolute, or "built in" for a registered one */
    const struct sw_sink_plugin *plugin; /**< NULL where it was refused; then problem says why */
    const char *problem;                 /**< NULL, or why it cannot be used */
    bool shadowed;                       /**< an earlier folder has one of the same name */
};

/** What sw_sinks_find() found. */
struct sw_sinks {
    size_t count;
    const struct sw_sink_found *item; /**< by name, the one that is used first */
};

/**
 * Finds all sinks: those registered, then plugin_path of the configuration, $STEPWATCH_PLUGIN_PATH,
 * and the installed folder.
 *
 * config: as for sw_open(), for its plugin_path; mistakes elsewhere in it do not matter.
 * sinks:  the caller's to give to sw_sinks_free(). Loads each plugin; opens none.
 *
 * Returns how many were found, or a negative code.
 */
SW_API int sw_sinks_find(const char *config, struct sw_sinks **sinks, struct sw_error *err);

/** Frees what sw_sinks_find() gave; NULL is fine. Descriptors are invalid afterwards. */
SW_API void sw_sinks_free(struct sw_sinks *sinks);

/**
 * The keys of the mapping `profiler` as a table like a sink's: type, default, range or choices,
 * help.
 *
 * Ends with a name of NULL. A default of NULL depends on other keys: the help says how. offset
 * means nothing to a caller. Static.
 */
SW_API const struct sw_option *sw_profiler_options(void);

#ifdef __cplusplus
}
#endif
#endif
