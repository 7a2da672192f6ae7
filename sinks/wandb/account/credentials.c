/* SPDX-License-Identifier: MIT */
#include "sinks/wandb/account/credentials.h"
#include "core/text/opened.h"
#include "net/surroundings.h"
#include "sinks/wandb/account/service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES = 256 << 10 }; /* larger than any netrc */

/* ---- the form of a key ----------------------------------------------------------------------- */

/* Returns whether a key is a JSON web token: three parts with points between. */
static bool is_jwt(const char *key)
{
    size_t dots = 0;
    for (const char *at = key; *at; at++)
        dots += *at == '.';
    return dots == 2 && strspn(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                    "0123456789-_.=") == strlen(key);
}

/* Returns whether a text has the form of a key: at least 40 characters, after the prefix and the
 * dash of self-hosted servers. */
static bool is_key(const char *key)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *dash = strchr(key, '-'), *secret = dash ? dash + 1 : key;
    return is_jwt(key) || (strlen(secret) >= 40 && strspn(key, letters) == strlen(key));
}

static int key_check(struct swi_wandb_key *key, struct sw_error *err)
{
    if (is_key(key->key))
        return 1;
    size_t size = strlen(key->key);
    swi_wandb_key_forget(key);
    return sw_error_set(
        err, SW_EINVAL,
        "%s: is not an API key: expected at least 40 letters, digits, - and _, found "
        "%zu bytes; copy the whole key from the settings page of the service",
        key->from, size);
}

static void trim(char *text)
{
    const char *begin = swi_plain_file_trim(text);
    memmove(text, begin, strlen(begin) + 1);
}

void swi_wandb_key_forget(struct swi_wandb_key *key)
{
    swi_secret_free(key->key, SWI_WANDB_VALUE);
    key->key = NULL;
}

/* ---- files that hold secrets ----------------------------------------------------------------- */

static void warn_if_open(struct swi_wandb_key *key, const char *path, const struct stat *status)
{
    if (status->st_mode & (S_IRGRP | S_IROTH))
        snprintf(key->warning, sizeof key->warning,
                 "%.512s contains a key that others can read: chmod 600 %.400s", path, path);
}

/* The user cannot change it. */
static void warn_if_public(struct swi_wandb_key *key, const char *path, const struct stat *status)
{
    if (status->st_mode & S_IROTH)
        snprintf(key->warning, sizeof key->warning,
                 "%.512s contains a key that everybody can read: have its mode set to 400 "
                 "(defaultMode of a volume)",
                 path);
}

static void free_text(char *text)
{
    swi_secret_free(text, FILE_BYTES + 1);
}

/* Returns the text of a file, which the caller frees with free_text(); NULL if it cannot be read.
 * refusal: set to why its secret is not used, or NULL. */
static char *file_text(const char *path, struct stat *status, const char **refusal)
{
    SWI_CLOSED int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd < 0 ? NULL : swi_secret_new(FILE_BYTES + 1);
    bool good = text && fstat(fd, status) == 0 && S_ISREG(status->st_mode);
    size_t size = 0;
    *refusal = good ? swi_secret_file_refusal(fd, status) : NULL;
    ssize_t n = 1;
    while (good && n > 0 && size < FILE_BYTES) {
        n = read(fd, text + size, FILE_BYTES - size);
        size += n > 0 ? (size_t)n : 0;
    }
    if (good)
        return text;
    free_text(text);
    return NULL;
}

static int from_key_file(const char *path, struct swi_wandb_key *key, struct sw_error *err)
{
    struct stat status = {0};
    const char *refusal;
    char *text = file_text(path, &status, &refusal);
    if (!text)
        return sw_error_set(err, SW_EINVAL, "key_file %s: cannot be read: %s", path,
                            status.st_mode && !S_ISREG(status.st_mode) ? "it is not a regular file"
                                                                       : strerror(errno));
    snprintf(key->from, sizeof key->from, "key_file %.200s", path);
    trim(text);
    bool fits = snprintf(key->key, SWI_WANDB_VALUE, "%s", text) < SWI_WANDB_VALUE;
    free_text(text);
    if (refusal)
        return sw_error_set(err, SW_EINVAL, "key_file %s: %s", path, refusal);
    warn_if_public(key, path, &status);
    if (!fits)
        key->key[0] = '\0';
    return key_check(key, err);
}

/* ---- netrc, as Python's module of that name reads it ----------------------------------------- */

/* Returns the next word without its quotes, and sets *rest to behind it and `after` to the byte
 * that ended it. Returns NULL after the last one. */
static char *word(char **rest, char *after)
{
    char *at = *rest + strspn(*rest, " \t\r\n");
    if (!*at)
        return NULL;
    bool quoted = *at == '"';
    char *begin = at += quoted, *to = at;
    for (; *at && (quoted ? *at != '"' : !strchr(" \t\r\n", *at)); at++) {
        at += *at == '\\' && at[1] ? 1 : 0;
        *to++ = *at;
    }
    *after = *at;
    *rest = *at ? at + 1 : at;
    *to = '\0';
    return begin;
}

/* Skips what is left of the line that a word is in. */
static void skip_line(char **rest, char after)
{
    if (after == '\n')
        return;
    *rest += strcspn(*rest, "\n");
    *rest += **rest == '\n';
}

/* Skips a macro: its name, and all lines up to an empty one. */
static void skip_macro(char **rest)
{
    char after = '\0';
    word(rest, &after);
    skip_line(rest, after);
    for (bool more = true; more && **rest; skip_line(rest, '\0'))
        more = (*rest)[strspn(*rest, "\r")] != '\n';
}

/* Returns the password of a machine, or of the entry default; NULL if there is neither. The last
 * entry of a name counts. A comment may be anywhere but where a value is. */
static const char *netrc_password(char *text, const char *machine)
{
    const char *found = NULL, *fallback = NULL, **password = NULL;
    char after = '\0', *value;
    for (char *at; (at = word(&text, &after));) {
        if (*at == '#') {
            skip_line(&text, after);
        } else if (strcmp(at, "macdef") == 0) {
            skip_macro(&text);
            password = NULL;
        } else if (strcmp(at, "default") == 0) {
            password = &fallback;
        } else if (strcmp(at, "machine") == 0) {
            value = word(&text, &after);
            password = value && strcasecmp(value, machine) == 0 ? &found : NULL;
        } else if (strcmp(at, "login") == 0 || strcmp(at, "user") == 0 ||
                   strcmp(at, "account") == 0) {
            word(&text, &after);
        } else if (strcmp(at, "password") == 0) {
            value = word(&text, &after);
            if (password && value)
                *password = value;
        }
    }
    return found ? found : fallback;
}

static const char *netrc_path(char path[PATH_MAX])
{
    const char *home = swi_wandb_env("HOME");
    SW_ERROR_SCOPE(ignored);
    if (swi_wandb_env_path("NETRC", path, PATH_MAX, &ignored) > 0)
        return path;
    if (!home || !*home)
        return NULL;
    snprintf(path, PATH_MAX, "%s/.netrc", home);
    if (access(path, F_OK) == 0)
        return path;
    snprintf(path, PATH_MAX, "%s/_netrc", home);
    return path;
}

/* Gets host[:port] of an address. */
static void host_of(const char *base_url, char *host, size_t size)
{
    const char *at = strstr(base_url, "://");
    at = at ? at + 3 : base_url;
    snprintf(host, size, "%.*s", (int)strcspn(at, "/"), at);
}

static bool netrc_machine(const char *path, const char *machine, struct swi_wandb_key *key)
{
    struct stat status;
    const char *ignored;
    char *text = file_text(path, &status, &ignored);
    const char *password = text ? netrc_password(text, machine) : NULL;
    bool found = password && *password && strlen(password) < SWI_WANDB_VALUE;
    if (found) {
        snprintf(key->key, SWI_WANDB_VALUE, "%s", password);
        snprintf(key->from, sizeof key->from, "%.120s, machine %.100s", path, machine);
        warn_if_open(key, path, &status);
    }
    free_text(text);
    return found;
}

static bool from_netrc(const char *base_url, struct swi_wandb_key *key)
{
    char buffer[PATH_MAX], host[SWI_WANDB_VALUE];
    const char *path = netrc_path(buffer);
    host_of(base_url, host, sizeof host);
    if (path && netrc_machine(path, host, key))
        return true;
    /* The service has moved, and a user who logged in before has its old name in this file. */
    return path && swi_wandb_is_below(host, "forge.coreweave.com") &&
           netrc_machine(path, "api.wandb.ai", key);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int from_environment(struct swi_wandb_key *key, struct sw_error *err)
{
    const char *from_env = swi_wandb_env("WANDB_API_KEY");
    int rc =
        swi_wandb_env_path("WANDB_IDENTITY_TOKEN_FILE", key->identity, sizeof key->identity, err);
    if (rc > 0 && from_env && *from_env)
        return sw_error_set(err, SW_EINVAL,
                            "WANDB_API_KEY and WANDB_IDENTITY_TOKEN_FILE are both set: unset one");
    if (rc != 0)
        return rc;
    if (!from_env || !*from_env)
        return 0;
    snprintf(key->from, sizeof key->from, "WANDB_API_KEY");
    if (strlen(from_env) < SWI_WANDB_VALUE)
        snprintf(key->key, SWI_WANDB_VALUE, "%s", from_env);
    trim(key->key);
    return key_check(key, err);
}

int swi_wandb_key_find(const char *key_file, const char *base_url, struct swi_wandb_key *key,
                       struct sw_error *err)
{
    *key = (struct swi_wandb_key){.key = swi_secret_new(SWI_WANDB_VALUE)};
    if (!key->key)
        return sw_error_set(err, SW_ENOMEM, "not enough memory for the API key");
    if (key_file && *key_file)
        return from_key_file(key_file, key, err);
    int rc = from_environment(key, err);
    if (rc)
        return rc;
    if (from_netrc(base_url, key))
        return key_check(key, err);
    snprintf(key->from, sizeof key->from, "api_key in a settings file of wandb");
    rc = swi_wandb_setting(NULL, NULL, "api_key", key->key, err);
    return rc < 0 || !*key->key ? rc : key_check(key, err);
}
