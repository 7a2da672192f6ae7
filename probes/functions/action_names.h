/* SPDX-License-Identifier: MIT */
/* action_names.h - names of actions, in the file. */
#ifndef PROBES_FUNCTIONS_ACTION_NAMES_H
#define PROBES_FUNCTIONS_ACTION_NAMES_H

/* Names are asked for with this function from now on. */
void fn_action_names_from(const char *(*action_name)(int action));

/* Has the name of an action in the file. Once for each action and thread; also in a signal handler.
 */
void fn_action_name_keep(int action);

#endif
