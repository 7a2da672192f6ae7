/* SPDX-License-Identifier: MIT */
#include "net/retry.h"
#include "net/libcurl.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double wait_min_s = 2, wait_max_s = 60;
/* The longest wait that a server may ask for. */
static const double asked_max_s = 3600;
/* How often a server may ask for less than a second. Some ask for 0 seconds, or name a time that is
 * over, in each answer of an outage: they would get as many requests as the network carries. */
enum { at_once_max = 2 };

/* Returns whether the same request would get this status again. */
static bool is_final(int status)
{
    static const int final[] = {400, 401, 403, 404, 409, 410, 413, 422, 501};
    for (size_t i = 0; i < sizeof final / sizeof *final; i++)
        if (status == final[i])
            return true;
    return false;
}

/* Returns whether a server that answers so may take the request later. */
static bool is_busy(int status)
{
    return status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504);
}

static bool status_again(enum swi_retry kind, int status)
{
    if (kind == SWI_RETRY_BUSY)
        return is_busy(status);
    if (status < 400)
        return false;
    if (kind == SWI_RETRY_FILE)
        return status == 429 || (status >= 500 && status != 501);
    return (kind == SWI_RETRY_UPSERT && status == 409) || !is_final(status);
}

bool swi_retry_again(enum swi_retry kind, const struct swi_outcome *outcome, int tries)
{
    /* With waits of up to a minute, this takes a week. That a run cannot be created is known within
     * half a minute: if it was deleted, it never can. */
    bool patient = kind == SWI_RETRY_STREAM || kind == SWI_RETRY_LOOK || kind == SWI_RETRY_BUSY;
    int most = patient ? 10085 : kind == SWI_RETRY_NEVER ? 1 : outcome->status == 409 ? 4 : 20;
    if (tries >= most || outcome->hopeless)
        return false;
    return outcome->status == 0 || status_again(kind, outcome->status);
}

bool swi_retry_is_asked(const struct swi_outcome *outcome, int tries)
{
    return outcome->retry_after_s >= (tries <= at_once_max ? 0 : 1);
}

double swi_retry_wait_s(const struct swi_outcome *outcome, int tries, double jitter)
{
    if (swi_retry_is_asked(outcome, tries))
        return fmin(outcome->retry_after_s, asked_max_s);
    double delay = wait_min_s * exp2(tries < 1 ? 0 : fmin(tries - 1, 30));
    return fmin(delay * (1 + jitter / 4), wait_max_s);
}

/* Parses seconds with a decimal point, in any locale. Returns a negative number if the text is not
 * a number. */
static double number_of(const char *value)
{
    double number = 0, digit = 1;
    size_t whole = strspn(value, "0123456789");
    size_t part = value[whole] == '.' ? strspn(value + whole + 1, "0123456789") : 0;
    size_t used = whole + (value[whole] == '.') + part;
    if (!whole || value[used + strspn(value + used, " \t\r\n")])
        return -1;
    for (size_t i = 0; i < whole; i++)
        number = number * 10 + (value[i] - '0');
    for (size_t i = 0; i < part; i++)
        number += (value[whole + 1 + i] - '0') * (digit /= 10);
    return number;
}

double swi_retry_after_s(const char *value, double now_s)
{
    double seconds = number_of(value);
    time_t date = seconds < 0 ? swi_curl.getdate(value, NULL) : -1;
    return date < 0 ? seconds : fmax(0, (double)date - now_s);
}

double swi_retry_gap_s(double remaining, double reset_s)
{
    /* If several requests are left, there is no wait. */
    if (!(remaining >= 0) || !(reset_s > 0) || remaining >= 10)
        return 0;
    double per_s = fmax(remaining / reset_s, 0.1);
    return 1 / per_s;
}
