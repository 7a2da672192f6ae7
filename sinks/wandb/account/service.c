/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/account/service.h"
#include "core/text/parse.h"
#include "core/text/parts.h"

#include <string.h>

const char swi_wandb_open_warning[] =
    "base_url begins with http://, so anyone on the network can read the API key and all rows: "
    "does the service support https://?";

/* ---- the address ----------------------------------------------------------------------------- */

static size_t host_at(const char *url)
{
    return swi_begins(url, "https://") ? 8 : swi_begins(url, "http://") ? 7 : 0;
}

static bool is_odd(const char *url)
{
    for (; *url; url++)
        if ((unsigned char)*url <= ' ' || *url == 0x7f || strchr("@?#\\\"<>", *url))
            return true;
    return false;
}

bool swi_wandb_is_below(const char *host, const char *domain)
{
    size_t size = strcspn(host, ":/"), tail = strlen(domain);
    return size >= tail && strncmp(host + size - tail, domain, tail) == 0 &&
           (size == tail || host[size - tail - 1] == '.');
}

/* The message leaves out what may be a key: everything before an @, and the query. */
static int address_refuse(const char *url, struct sw_error *err)
{
    const char *at = strrchr(url, '@');
    const char *shown = at ? at : url;
    return sw_error_set(err, SW_EINVAL,
                        "base_url \"%s%.*s\": expected http://HOST or https://HOST, with :PORT and "
                        "/PATH if needed, but without a key or a user (option base_url "
                        "or WANDB_BASE_URL)",
                        at ? "***" : "", (int)strcspn(shown, "?"), shown);
}

int swi_wandb_address_check(const char *url, struct sw_error *err)
{
    const char *host = url + host_at(url);
    if (host == url || !*host || strchr("/:", *host) || is_odd(url))
        return address_refuse(url, err);
    if (swi_wandb_is_below(host, "wandb.ai") &&
        (!swi_begins(url, "https://") || !swi_begins(host, "api.")))
        return sw_error_set(err, SW_EINVAL,
                            "base_url \"%s\": for wandb.ai, use https://api.wandb.ai (option "
                            "base_url or WANDB_BASE_URL)",
                            url);
    return 0;
}

/* ---- the pages ------------------------------------------------------------------------------- */

static void replace(char *text, const char *found, const char *from, const char *to)
{
    char rest[SWI_WANDB_VALUE];
    size_t at = (size_t)(found - text);
    snprintf(rest, sizeof rest, "%s", found + strlen(from));
    snprintf(text + at, SWI_WANDB_VALUE - at, "%s%s", to, rest);
}

static void app_find(struct swi_wandb_service *service)
{
    const char *from_env = swi_wandb_env("WANDB_APP_URL"),
               *host = service->base_url + host_at(service->base_url);
    char *app = service->app_url;
    snprintf(app, SWI_WANDB_VALUE, "%s",
             from_env && host_at(from_env) && !is_odd(from_env) ? from_env : service->base_url);
    const char *own = strstr(app, "://api.wandb."), *other = strstr(app, "://api.");
    if (from_env && *from_env)
        ;
    else if (swi_wandb_is_below(host, "wandb.ai") ||
             swi_wandb_is_below(host, "forge.coreweave.com"))
        snprintf(app, SWI_WANDB_VALUE, "https://forge.coreweave.com/wandb");
    else if (own)
        replace(app, own, "://api.wandb.", "://wandb.");
    else if (other)
        replace(app, other, "://api.", "://app.");
    swi_address_trim(app);
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Gets a variable; "" if it is not set or too long. */
static void env_find(char *value, size_t size, const char *name)
{
    const char *from_env = swi_wandb_env(name);
    snprintf(value, size, "%s", from_env && strlen(from_env) < size ? from_env : "");
}

static const char *environment(void *arg, const char *name)
{
    (void)arg;
    return swi_wandb_env(name);
}

/* Like the SDK, whose own settings come before those of curl. */
static int connection_find(struct swi_connection *connection, struct sw_error *err)
{
    static const char *const own[][2] = {{"WANDB_HTTP_PROXY", "http_proxy"},
                                         {"WANDB_HTTPS_PROXY", "https_proxy"}};
    int rc = 0;
    swi_connection_find(connection, environment, NULL);
    for (size_t i = 0; i < 2 && rc == 0; i++) {
        char proxy[SWI_CONNECTION_VALUE];
        rc = swi_wandb_setting(NULL, own[i][0], own[i][1], proxy, err);
        if (*proxy)
            memcpy(connection->proxy[i], proxy, sizeof proxy);
    }
    return rc;
}

static int seconds_find(const char *env, const char *name, double *seconds, struct sw_error *err)
{
    char text[SWI_WANDB_VALUE];
    int rc = swi_wandb_setting(NULL, env, name, text, err);
    SW_ERROR_SCOPE(ignored);
    *seconds = 0;
    bool plain = !text[strspn(text, "0123456789.")];
    if (rc < 0 || !*text ||
        (plain && swi_parse_float(text, seconds, &ignored) == 0 && *seconds > 0 &&
         *seconds <= 86400))
        return rc;
    return sw_error_set(
        err, SW_EINVAL,
        "%s \"%s\": expected a number of seconds, more than 0 and at most 86400, like 30 or 2.5 "
        "(or %s in a settings file of wandb)",
        env, text, name);
}

int swi_wandb_service_find(struct swi_wandb_service *service, const char *option,
                           struct sw_error *err)
{
    char *base = service->base_url;
    int rc = swi_wandb_setting(option, "WANDB_BASE_URL", "base_url", base, err);
    if (rc < 0)
        return rc;
    if (!*base)
        snprintf(base, SWI_WANDB_VALUE, "https://api.forge.coreweave.com");
    swi_address_trim(base);
    if ((rc = swi_wandb_address_check(base, err)) < 0 ||
        (rc = connection_find(&service->connection, err)) < 0 ||
        (rc = seconds_find("WANDB_HTTP_TIMEOUT", "x_graphql_timeout_seconds", &service->answer_s,
                           err)) < 0 ||
        (rc = seconds_find("WANDB_FILE_PUSHER_TIMEOUT", "x_file_transfer_timeout_seconds",
                           &service->file_s, err)) < 0)
        return rc;
    app_find(service);
    service->open = swi_address_is_open(base);
    env_find(service->user, sizeof service->user, "WANDB_USERNAME");
    env_find(service->mail, sizeof service->mail, "WANDB_USER_EMAIL");
    service->insecure =
        swi_wandb_flag("WANDB_INSECURE_DISABLE_SSL", NULL, "insecure_disable_ssl") == 1;
    return swi_wandb_setting(NULL, "WANDB_IGNORE_GLOBS", "ignore_globs", service->ignored, err);
}
