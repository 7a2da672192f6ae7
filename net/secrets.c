/* SPDX-License-Identifier: MIT */
#include "net/secrets.h"
#include "core/text/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what they are --------------------------------------------------------------------------- */

/* Gets the part before the host of an address. A password may hold a slash that should have been
 * %2F: libcurl refuses such an address and repeats it. */
static void userinfo(char *to, size_t size, const char *url)
{
    const char *scheme = strstr(url, "://"), *begin = scheme ? scheme + 3 : url;
    const char *at = strrchr(begin, '@');
    if (at)
        snprintf(to, size, "%.*s", (int)(at - begin), begin);
}

static bool key_set(struct swi_secrets *secrets, const char *name, const char *key)
{
    char *user = secrets->authorization; /* not used yet, and kept as secret */
    if (strlen(key) >= sizeof secrets->key || strlen(name) >= sizeof secrets->key)
        return false;
    snprintf(secrets->key, sizeof secrets->key, "%s", key);
    int size = snprintf(user, sizeof secrets->authorization, "%s:%s", name, key);
    swi_base64_put(secrets->basic, user, (size_t)size, SWI_BASE64);
    swi_secrets_token(secrets, NULL);
    return true;
}

struct swi_secrets *swi_secrets_new(const char *user, const char *key,
                                    const struct swi_connection *connection)
{
    struct swi_secrets *secrets = swi_secret_new(sizeof *secrets);
    bool good = secrets && (!key || !*key || key_set(secrets, user, key));
    for (size_t i = 0; good && connection && i < 2; i++)
        userinfo(secrets->proxy[i], sizeof secrets->proxy[i], connection->proxy[i]);
    if (good)
        return secrets;
    swi_secrets_free(secrets);
    return NULL;
}

void swi_secrets_free(struct swi_secrets *secrets)
{
    swi_secret_free(secrets, sizeof *secrets);
}

bool swi_secrets_token(struct swi_secrets *secrets, const char *token)
{
    char *line = secrets->authorization;
    size_t size = token ? strlen(token) : 0;
    if (size > SWI_TOKEN_MAX)
        return false;
    memcpy(secrets->token, token ? token : "", size + 1);
    *line = '\0';
    if (size)
        snprintf(line, sizeof secrets->authorization, "Authorization: Bearer %s", secrets->token);
    else if (*secrets->basic)
        snprintf(line, sizeof secrets->authorization, "Authorization: Basic %s", secrets->basic);
    return true;
}

/* ---- in a text for people -------------------------------------------------------------------- */

static char small(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static size_t alike(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && small(a[n]) == small(b[n]))
        n++;
    return n;
}

/* Returns the length of the longest part of a secret with which a text begins. */
static size_t longest(const char *text, const char *secret)
{
    size_t most = 0;
    for (; *secret; secret++) {
        size_t n = alike(text, secret);
        most = n > most ? n : most;
    }
    return most;
}

void swi_secret_hide(const char *secret, char *text)
{
    size_t whole = secret ? strlen(secret) : 0;
    size_t least = whole < SWI_SECRET_TELLING ? whole : SWI_SECRET_TELLING;
    while (least && *text) {
        size_t n = longest(text, secret);
        if (n >= least)
            memset(text, '*', n);
        text += n >= least ? n : 1;
    }
}

void swi_secrets_hide(const struct swi_secrets *secrets, char *text)
{
    const char *const all[] = {secrets->key,      secrets->basic,    secrets->token,
                               secrets->identity, secrets->proxy[0], secrets->proxy[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        swi_secret_hide(all[i], text);
}

/* ---- in an answer ---------------------------------------------------------------------------- */

static bool cover(char *text, size_t size, const char *secret)
{
    size_t length = strlen(secret);
    char *end = text + size, *at = text;
    bool found = false;
    while (length >= SWI_SECRET_TELLING && (at = memmem(at, (size_t)(end - at), secret, length))) {
        memset(at, '*', length);
        found = true;
    }
    return found;
}

bool swi_secrets_cover(const struct swi_secrets *secrets, char *text, size_t size)
{
    const char *const all[] = {secrets->key, secrets->basic, secrets->token, secrets->identity};
    bool found = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        found |= cover(text, size, all[i]);
    return found;
}
