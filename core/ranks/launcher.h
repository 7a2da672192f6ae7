/* SPDX-License-Identifier: MIT */
/* launcher.h - what the variables of one launcher say about this process. */
#ifndef CORE_RANKS_LAUNCHER_H
#define CORE_RANKS_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the environment variables in which launchers pass the rank. */

/* Returns the value of a variable of the environment, or NULL. */
typedef const char *swi_variable_fn(const void *arg, const char *name);

struct swi_variables {
    swi_variable_fn *get;
    const void *arg;
};

/* Returns a variable's value, or NULL if it is not set or empty. */
const char *swi_variable(const struct swi_variables *variables, const char *name);

/* Returns a variable's value as a number: 1 to 10 ASCII digits, at most 2^31 - 1. Returns -1 if it
 * is not set or not such a number. */
int64_t swi_variable_number(const struct swi_variables *variables, const char *name);

/* Converts size bytes of a text in the same way. */
int64_t swi_digits(const char *text, size_t size);

/* In the order in which they are read. */
enum swi_launcher_id {
    SWI_LAUNCHER_STEPWATCH,
    SWI_LAUNCHER_TORCH,
    SWI_LAUNCHER_HOROVOD,
    SWI_LAUNCHER_OMPI,
    SWI_LAUNCHER_MVAPICH,
    SWI_LAUNCHER_PMI,
    SWI_LAUNCHER_PMIX,
    SWI_LAUNCHER_JSM,
    SWI_LAUNCHER_FLUX,
    SWI_LAUNCHER_PALS,
    SWI_LAUNCHER_SLURM,
    SWI_LAUNCHER_TPU, /* this one and the next ones number machines: see rank.c */
    SWI_LAUNCHER_SAGEMAKER,
    SWI_LAUNCHER_KUBERNETES,
    SWI_LAUNCHERS
};

/* Unknown numbers are -1. */
struct swi_launcher {
    enum swi_launcher_id id;
    const char *name;     /* "torch" */
    const char *variable; /* the variable with the rank */
    int64_t rank, size, local_rank, local_size, node;
};

enum swi_launcher_state {
    SWI_LAUNCHER_ABSENT, /* no variable of it is set */
    SWI_LAUNCHER_THERE,
    SWI_LAUNCHER_WRONG /* its rank or size is not a number, or the rank is not below the size */
};

/* Reads a source before SWI_LAUNCHER_TPU. Sets name and variable unless it is absent. */
enum swi_launcher_state swi_launcher_read(struct swi_launcher *source, enum swi_launcher_id id,
                                          const struct swi_variables *variables);

/* Removes local numbers that contradict each other or the size. */
void swi_launcher_tidy(struct swi_launcher *source);

/* Returns whether two sources have the same rank, size and local size. An unknown number equals any
 * other. */
bool swi_launchers_agree(const struct swi_launcher *a, const struct swi_launcher *b);

/* ---- chooses one of several sources of the rank ---------------------------------------------- */

struct swi_choice {
    size_t count;
    struct swi_launcher source[SWI_LAUNCHERS + 1]; /* in the order of enum swi_launcher_id */
    bool certain;                                  /* set to false if another source contradicts */
    const struct swi_variables *variables;
};

/* Returns the best source. There must be at least one. Sources that do not count are removed. */
const struct swi_launcher *swi_choose(struct swi_choice *choice);

#endif
