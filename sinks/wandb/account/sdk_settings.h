/* SPDX-License-Identifier: MIT */
/* sdk_settings.h - reads wandb's settings from the environment and its own files, as its SDK does.
 */
#ifndef SINKS_WANDB_ACCOUNT_SDK_SETTINGS_H
#define SINKS_WANDB_ACCOUNT_SDK_SETTINGS_H

#include <stepwatch/error.h>

#include <stddef.h>

enum { SWI_WANDB_VALUE = 1024 };
enum { SWI_PROJECT_MAX = 128 }; /* bytes of a project's name */

/* Returns a variable of the environment, or NULL. All settings in the environment are read with
 * this, on the thread that opens the run, because the program may change its environment later. */
const char *swi_wandb_env(const char *name);

/* Gets a path from a variable. Like the SDK, replaces a leading ~ by the home folder. Returns 1, or
 * 0 and "" if it is not set, or SW_EINVAL and "" if it is not a path in a file system. */
int swi_wandb_env_path(const char *name, char *path, size_t size, struct sw_error *err);

/* Makes the calling thread use the environment that sw_open() copied for this sink. NULL: that of
 * the process, for a program without other threads. */
struct sw_sink;
void swi_wandb_env_from(struct sw_sink *sink);

/* Returns the name to use of a variable with two names: env, unless only `also` is set. `also` may
 * be NULL. */
const char *swi_wandb_either(const char *env, const char *also);

/* Returns a setting that is on or off, found as below: 1, 0, or -1 if it is not set or neither on
 * nor off. */
int swi_wandb_flag(const char *env, const char *also, const char *name);

/* Sets value to the first of: the option; the environment's WANDB_X; the setting of
 * ./.wandb/settings or ./wandb/settings; that of the user's own settings file; "". name is lower
 * case, as in the files. env is NULL if there is no variable for it. Returns 0, or SW_EINVAL if a
 * value is too long or not UTF-8. */
int swi_wandb_setting(const char *option, const char *env, const char *name,
                      char value[SWI_WANDB_VALUE], struct sw_error *err);

/* Return whether the service accepts them. err says what is wrong and where to change it. */
int swi_wandb_run_id_check(const char *id, struct sw_error *err);
int swi_wandb_project_check(const char *project, struct sw_error *err);
/* Check the name, the group or the kind of a run, and one of its tags: a run with one that is too
 * long is refused for ever. The error goes on after what has the text. */
enum { SWI_LABEL_MAX = 128, SWI_TAG_MAX = 64 };
int swi_wandb_label_check(const char *text, struct sw_error *err);
int swi_wandb_tag_check(const char *tag, struct sw_error *err);

#endif
