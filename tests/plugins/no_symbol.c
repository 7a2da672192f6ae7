/* SPDX-License-Identifier: MIT */
/* A shared object that is not a sink. */
int no_sink_at_all(void);

int no_sink_at_all(void)
{
    return 0;
}
