/* SPDX-License-Identifier: MIT */
#include "net/close_time.h"
#include "core/clock/now.h"

/* Returns the part of close_timeout that is reserved for the end of the thread, and for core to see
 * that the sink has returned: a fifth, or half a second of a short one. */
static int64_t slack_ns(int64_t timeout_ns)
{
    int64_t slack = timeout_ns / 5;
    return slack > 500000000 ? slack : timeout_ns < 1000000000 ? timeout_ns / 2 : 500000000;
}

int64_t swi_close_deadline_ns(const struct sw_run *run, int64_t end_ns)
{
    bool known = run->size >= offsetof(struct sw_run, close_timeout_ns) + sizeof(int64_t);
    int64_t timeout_ns = known ? run->close_timeout_ns : INT64_C(5000000000);
    return (end_ns ? end_ns : swi_now_ns()) + timeout_ns - slack_ns(timeout_ns);
}
