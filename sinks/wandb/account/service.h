/* SPDX-License-Identifier: MIT */
/* service.h - where the service is and how it is reached, as the SDK's settings say it. */
#ifndef SINKS_WANDB_ACCOUNT_SERVICE_H
#define SINKS_WANDB_ACCOUNT_SERVICE_H

#include "sinks/wandb/account/sdk_settings.h"

#include <stdbool.h>

enum { SWI_WANDB_NAME = 200 };

/* "": none. Proxies are for http and https. */
struct swi_wandb_way {
    char proxy[2][SWI_WANDB_VALUE];
    char no_proxy[SWI_WANDB_VALUE];   /* hosts that need none */
    char ca_file[SWI_WANDB_VALUE];    /* SSL_CERT_FILE; else the system's */
    char ca_folders[SWI_WANDB_VALUE]; /* SSL_CERT_DIR: as well, with colons between */
};

struct swi_wandb_service {
    char base_url[SWI_WANDB_VALUE]; /* without a slash at its end */
    char app_url[SWI_WANDB_VALUE];  /* of the pages */
    struct swi_wandb_way way;       /* what a connection goes through, and who vouches for it */
    char ignored[SWI_WANDB_VALUE];  /* patterns of files, with commas between */
    bool insecure;
    bool open; /* no TLS, to another machine: whoever is in between reads key and rows */
    /* Whom the runs of a service account are shown as made by; "": not said. */
    char user[SWI_WANDB_NAME], mail[SWI_WANDB_NAME];
    double answer_s, file_s; /* longest wait for an answer, and for a file to be put; 0: not said */
};

extern const char swi_wandb_open_warning[];

/* Finds the address of the service. option: the value of base_url; if it is NULL or "", the
 * environment and the settings files are asked, and then the public service is used. Returns 0, or
 * SW_EINVAL if the value is not an address. */
int swi_wandb_service_find(struct swi_wandb_service *service, const char *option,
                           struct sw_error *err);

/* Returns 0, or SW_EINVAL where a base_url is not an address of a service. */
int swi_wandb_address_check(const char *url, struct sw_error *err);

/* Whether HOST, HOST:PORT or HOST/PATH is a domain or below it. */
bool swi_wandb_is_below(const char *host, const char *domain);

#endif
