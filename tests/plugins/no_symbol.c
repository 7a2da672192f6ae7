/* SPDX-License-Identifier: MIT */
/* A shared object that is no sink. */
int no_sink_at_all(void);

int no_sink_at_all(void)
{
    return 0;
}
