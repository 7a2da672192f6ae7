/* SPDX-License-Identifier: MIT */
/* module.c - a module that links stepwatch. */
#include <stepwatch/stepwatch.h>

SW_API int module_use(void);
SW_API int module_open(void);

static struct sw_profiler *sw;

static void train(void)
{
    sw_begin(sw, SW_FIT);
    for (int i = 0; i < 5; i++) {
        sw_begin(sw, SW_DRAW);
        sw_next(sw, SW_BATCH);
        sw_end_batch(sw, 64);
    }
}

/* Opens, measures and closes. */
int module_use(void)
{
    sw = sw_open_text("profiler: { show_report: false }", NULL);
    train();
    return sw ? -sw_close(sw, NULL) : 1;
}

/* Opens and measures, and leaves it at that. */
int module_open(void)
{
    sw = sw_open_text("profiler: { show_report: false }\n"
                      "logger_callback: [ table: { path: module.txt, plain: true } ]",
                      NULL);
    train();
    return !sw;
}
