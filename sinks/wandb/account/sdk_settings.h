/* SPDX-License-Identifier: MIT */
/* sdk_settings.h - what wandb is reported by its environment and its own files, as its SDK looks it
 * up. */
#ifndef SINKS_WANDB_ACCOUNT_SDK_SETTINGS_H
#define SINKS_WANDB_ACCOUNT_SDK_SETTINGS_H

#include <stepwatch/error.h>

#include <stddef.h>

enum { SWI_WANDB_VALUE = 1024 };
enum { SWI_PROJECT_MAX = 128 }; /* bytes of a project's name */

/* A variable of the environment, or NULL. All that a run is reported by its environment is read by
 * this, on the thread that opens the run: the program may change its environment later. */
const char *swi_wandb_env(const char *name);

/* From now on the calling thread gets the environment that sw_open() found, by this sink; NULL:
 * that of the process, for a program that has no other thread. */
struct sw_sink;
void swi_wandb_env_from(struct sw_sink *sink);

/* A variable that has two names: env, unless only `also` is set (which may be NULL). */
const char *swi_wandb_either(const char *env, const char *also);

/* A setting that is on or off, looked up as below: 1, 0, or -1 where nobody says it. What is
 * neither counts as not said. */
int swi_wandb_flag(const char *env, const char *also, const char *name);

/* Sets value to, in this order: what the option says; the environment's WANDB_X; the setting of
 * ./.wandb/settings or ./wandb/settings; of the user's own settings file; "". name is lower case,
 * as in the files; env is NULL for what no variable of the environment says. Returns 0, or
 * SW_EINVAL where a value is too long or no UTF-8. */
int swi_wandb_setting(const char *option, const char *env, const char *name,
                      char value[SWI_WANDB_VALUE], struct sw_error *err);

/* Whether the service takes them; err says what is wrong and where it may be changed. */
int swi_wandb_run_id_check(const char *id, struct sw_error *err);
int swi_wandb_project_check(const char *project, struct sw_error *err);

#endif
