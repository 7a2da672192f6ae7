/* SPDX-License-Identifier: MIT */
/* tensorboard.c - draws a curve in TensorBoard. To see it: tensorboard --logdir runs */
#include <stepwatch/tensorboard.h>

#include <math.h>

int main(int argc, char **argv)
{
    SW_ERROR_SCOPE(err);
    struct sw_tb *tb = sw_tb_open(argc > 1 ? argv[1] : "runs/example", NULL, &err);
    if (!tb)
        sw_error_print(stderr, &err); /* all calls below accept NULL and do nothing */

    sw_tb_describe(tb, "loss", "The loss of *nothing in particular*");
    for (int step = 0; step < 500; step++)
        sw_tb_scalar(tb, "loss", step, exp(-step / 100.0) + 0.02 * sin(step));
    sw_tb_text(tb, "notes", 500, "| part | works |\n|---|---|\n| tables | **yes** |\n");

    if (sw_tb_close(tb, &err) < 0)
        sw_error_print(stderr, &err);
    return 0;
}
