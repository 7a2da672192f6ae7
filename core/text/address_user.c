/* SPDX-License-Identifier: MIT */
#include "core/text/address_user.h"

#include <stdbool.h>
#include <string.h>

/* Blanks, and what ends an address within other text. */
static const char ends[] = " \t\r\n\v\f\"<>";

/* Returns whether a host without an @ is followed by something that is not a port, as in
 * user:pass/word@host: some programs write a password as it is. An IPv6 address has no such part.
 */
static bool has_odd_port(const char *authority, size_t size)
{
    const char *colon = memrchr(authority, ':', size);
    size_t after = colon ? size - (size_t)(colon + 1 - authority) : 0;
    return after && *authority != '[' && strspn(colon + 1, "0123456789") < after;
}

/* Returns the size of the user part at the begin of an authority (RFC 3986, 3.2); 0 if it has none.
 */
static size_t user_size(const char *authority)
{
    size_t whole = strcspn(authority, ends), size = strcspn(authority, "/?#");
    size = size < whole ? size : whole;
    const char *at = memrchr(authority, '@', size);
    if (!at && has_odd_port(authority, size))
        at = memchr(authority, '@', whole);
    return at ? (size_t)(at + 1 - authority) : 0;
}

size_t swi_address_user(const char *text, const char **user)
{
    size_t size = 0;
    for (const char *at = text; !size && (at = strstr(at, "://"));) {
        *user = at += 3;
        size = user_size(at);
    }
    return size;
}

void swi_address_clean(char *text)
{
    const char *user;
    for (size_t size; (size = swi_address_user(text, &user));) {
        char *at = text + (user - text);
        memmove(at, at + size, strlen(at + size) + 1);
    }
}

char *swi_address_clean_copy(const char *text)
{
    char *copy = strdup(text);
    if (copy)
        swi_address_clean(copy);
    return copy;
}
