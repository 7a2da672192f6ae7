/* SPDX-License-Identifier: MIT */
/* fuzz_requests.c - whatever a client of the page of the sink prometheus sends, it gets a status,
 * and the same however its bytes are cut on the way.
 *
 * For libFuzzer (make fuzz-requests), and with the seeds of tests/fuzz/requests a suite of
 * tests/check. */
#include "tests/fuzz/fuzz.h"

#include "sinks/prometheus/scrape/request.h"

#include <string.h>

static const int statuses[] = {SWI_NOT_WHOLE,      SWI_OK,
                               SWI_BAD_REQUEST,    SWI_FORBIDDEN,
                               SWI_NOT_FOUND,      SWI_METHOD_NOT_ALLOWED,
                               SWI_HEAD_TOO_LARGE, SWI_VERSION_NOT_SUPPORTED};

/* The first bytes, in memory of exactly that size, so that a sanitizer sees a byte too much. */
static int status_of(const uint8_t *data, size_t size)
{
    static const struct swi_address address = {.host = "127.0.0.1", .loopback = true};
    char *text = malloc(size + 1);
    require(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    int status = swi_request_read(text, size, &address).status;
    free(text);
    return status;
}

int64_t fuzz_requests(const uint8_t *data, size_t size)
{
    size = size < SWI_HEAD_BYTES ? size : SWI_HEAD_BYTES;
    int status = status_of(data, size);
    bool known = false;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        known |= status == statuses[i];
    require(known);
    for (size_t cut = 0; cut < size; cut += 1 + size / 64) {
        int early = status_of(data, cut);
        require(early == SWI_NOT_WHOLE || early == status);
    }
    return status == SWI_OK;
}
