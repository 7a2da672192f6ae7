/* SPDX-License-Identifier: MIT */
/* address_user.h - the user part of an address: me:word@ of https://me:word@host/. It may be a
 * secret, whatever the scheme is: many services take a token as the user. */
#ifndef CORE_TEXT_ADDRESS_USER_H
#define CORE_TEXT_ADDRESS_USER_H

#include <stddef.h>

/* Finds the first user part of an address with a scheme in a text. Returns its size with the @, and
 * sets `user` to its begin; 0 if there is none. */
size_t swi_address_user(const char *text, const char **user);

/* Removes all of them from a text that will be stored, shown or uploaded. */
void swi_address_clean(char *text);

/* Returns a copy without them, the caller's to free; NULL if out of memory. */
char *swi_address_clean_copy(const char *text);

#endif
