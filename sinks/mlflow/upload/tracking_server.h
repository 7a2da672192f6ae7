/* SPDX-License-Identifier: MIT */
/* tracking_server.h - which MLflow server, as whom, and what for: from the variables and the file
 * that its own client reads. */
#ifndef SINKS_MLFLOW_UPLOAD_TRACKING_SERVER_H
#define SINKS_MLFLOW_UPLOAD_TRACKING_SERVER_H

#include "net/surroundings.h"

#include <stepwatch/error.h>

#include <stdbool.h>
#include <stddef.h>

enum { SWI_TRACKING_VALUE = 1024 };

/* What nobody else may see; memory of secret.h. */
struct swi_tracking_login {
    char user[SWI_TRACKING_VALUE], password[SWI_TRACKING_VALUE], token[SWI_TRACKING_VALUE];
};

struct swi_tracking_server {
    char base_url[SWI_TRACKING_VALUE]; /* without user, password and slash at its end; "": none */
    char why[512];                     /* why there is none, for the user */
    struct swi_tracking_login *login;  /* "" where nothing was found */
    char experiment[SWI_TRACKING_VALUE], experiment_id[128];
    char user[256];      /* who uploads; "" if not known */
    char run_id[128];    /* the run to go on with; "": a new one */
    char workspace[256]; /* "": none */
    char certificate[SWI_TRACKING_VALUE];
    struct swi_connection connection;
    double answer_s; /* longest wait for an answer */
    bool insecure;   /* accepts any certificate */
    bool open;       /* no TLS to another machine */
};

/* Finds the name of the user, where MLflow's own client looks too. "" if it is not known. */
void swi_login_name(char *name, size_t size, swi_env_fn *env, void *arg);

/* Returns 0, or SW_EINVAL with the reason if a tracking URI is not the address of a server. name:
 * of the setting that has it, for the reason. */
int swi_tracking_uri_check(const char *name, const char *uri, struct sw_error *err);

/* Finds a server. uri: if not NULL or "", used instead of MLFLOW_TRACKING_URI. If there is none,
 * base_url is "" and why is set. The caller must call swi_tracking_server_forget() in any case.
 * Returns 0, or SW_EINVAL if settings are wrong. */
int swi_tracking_server_find(struct swi_tracking_server *server, const char *uri, swi_env_fn *env,
                             void *arg, struct sw_error *err);
void swi_tracking_server_forget(struct swi_tracking_server *server);

#endif
