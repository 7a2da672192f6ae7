/* SPDX-License-Identifier: MIT */
/* page_client.h - the page of the sink prometheus, and its clients. */
#ifndef TESTS_PAGE_CLIENT_H
#define TESTS_PAGE_CLIENT_H

#include "tests/support/host.h"

#include <stdbool.h>

#define PAGE_GET "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

/* Opens the sink with a page that has a metric `loss`, 2.5. */
struct host *page_open(int *port);

/* Returns a connection; the second connects a socket, and the third returns what connect() does. */
int page_client(int port);
void page_connect(int client, int port);
int page_try_connect(int client, int port);

void page_say(int client, const char *text);
/* Returns whether something comes, or the connection ends, within so many milliseconds. */
bool page_hears_within(int client, int ms);
/* Returns what comes until the page closes the connection, and closes it. Good until the next
 * call. */
const char *page_heard(int client);

/* Returns the answer to a request. */
const char *page_answer(int port, const char *request);

/* The port that the sink has said. */
int page_port(struct host *host);

#endif
