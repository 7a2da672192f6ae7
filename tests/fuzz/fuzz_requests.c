/* SPDX-License-Identifier: MIT */
/* fuzz_requests.c - whatever a client of the page of the sink prometheus sends, it gets a status,
 * and the same however its bytes are cut on the way.
 *
 * For libFuzzer (make fuzz-requests), and with the seeds of tests/fuzz/requests a suite of
 * tests/check. */
#include "tests/fuzz/fuzz.h"

#include "sinks/prometheus/scrape_page.h"

#include <string.h>

enum { NOT_WHOLE = 0 };
static const int statuses[] = {NOT_WHOLE, 200, 400, 403, 404, 405, 431};

/* The first bytes, in memory of exactly that size, so that a sanitizer sees a byte too much. */
static int status_of(const uint8_t *data, size_t size)
{
    bool head_only;
    char *text = malloc(size + 1);
    require(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    int status = swi_request_read(text, size, "127.0.0.1", &head_only);
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
        require(early == NOT_WHOLE || early == status);
    }
    return status == 200;
}
