/* SPDX-License-Identifier: MIT */
/* hosts.h - sources that number machines instead of processes: TPU, SageMaker, Kubernetes. */
#ifndef CORE_RANKS_HOSTS_H
#define CORE_RANKS_HOSTS_H

#include "core/ranks/launcher.h"

/* Reads the first of them that is present, or else the first that is wrong. They count only if no
 * launcher gives a rank. */
enum swi_launcher_state swi_hosts_read(struct swi_launcher *source,
                                       const struct swi_variables *variables);

#endif
