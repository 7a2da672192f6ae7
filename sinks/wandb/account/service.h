/* SPDX-License-Identifier: MIT */
/* service.h - the address of the service and how to reach it, from the SDK's settings. */
#ifndef SINKS_WANDB_ACCOUNT_SERVICE_H
#define SINKS_WANDB_ACCOUNT_SERVICE_H

#include "net/surroundings.h"
#include "sinks/wandb/account/sdk_settings.h"

#include <stdbool.h>

enum { SWI_WANDB_NAME = 200 };

/* What to do if the service has a run with that id. */
enum swi_resume {
    SWI_RESUME_NONE,  /* rows are added after the existing ones */
    SWI_RESUME_ALLOW, /* the run is continued, with its config and summary */
    SWI_RESUME_MUST,  /* the same, but the run must exist */
    SWI_RESUME_NEVER  /* the run must not exist */
};

struct swi_wandb_service {
    char base_url[SWI_WANDB_VALUE];   /* without a slash at its end */
    char app_url[SWI_WANDB_VALUE];    /* address of the web pages */
    struct swi_connection connection; /* proxies and certificates */
    char ignored[SWI_WANDB_VALUE];    /* patterns of files, separated by commas */
    bool insecure;
    bool open; /* no TLS to another machine: others on the way can read the key and the rows */
    /* The user to whom runs of a service account are attributed; "" if not given. */
    char user[SWI_WANDB_NAME], mail[SWI_WANDB_NAME];
    double answer_s,
        file_s; /* longest wait for an answer, and for the upload of a file; 0: not given */
};

extern const char swi_wandb_open_warning[];

/* Finds the address of the service. option: the value of base_url. If it is NULL or "", the
 * environment and the settings files are used, and then the public service. Returns 0, or SW_EINVAL
 * if the value is not an address. */
int swi_wandb_service_find(struct swi_wandb_service *service, const char *option,
                           struct sw_error *err);

/* Returns 0, or SW_EINVAL if a base_url is not an address of a service. */
int swi_wandb_address_check(const char *url, struct sw_error *err);

/* Returns whether HOST, HOST:PORT or HOST/PATH is a domain or below it. */
bool swi_wandb_is_below(const char *host, const char *domain);

#endif
