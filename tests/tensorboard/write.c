/* SPDX-License-Identifier: MIT */
/* write.c - writes runs of every kind below one directory, one of 100,000 tags below a second, and
 * one with an experiment below a third; readback.py asks TensorBoard for them. */
#include <stepwatch/tensorboard.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE 1700000000.0

static char path[4096];

static const char *below(const char *dir, const char *run)
{
    snprintf(path, sizeof path, "%s/%s", dir, run);
    return path;
}

static struct sw_tb *open_run(const char *dir, const char *run)
{
    struct sw_tb_options options = {.size = sizeof options, .wall_s = BASE};
    struct sw_error err;
    struct sw_tb *tb = sw_tb_open(below(dir, run), &options, &err);
    if (!tb) {
        sw_error_print(stderr, &err);
        exit(1);
    }
    return tb;
}

static void close_run(struct sw_tb *tb)
{
    struct sw_error err;
    if (sw_tb_close(tb, &err) == 0)
        return;
    sw_error_print(stderr, &err);
    exit(1);
}

static void scalars(struct sw_tb *tb)
{
    sw_tb_describe(tb, "loss/train", "The *loss* of each batch");
    for (int i = 0; i < 300; i++) {
        struct sw_tb_value value[] = {{"loss/train", 2.0 / (i + 1)}, {"loss/valid", 3.0 / (i + 1)}};
        sw_tb_set_time(tb, BASE + i);
        sw_tb_scalars(tb, i, value, 2);
    }
    static const double special[] = {NAN, INFINITY, -INFINITY, 0, -1.5e30, 1e300};
    for (int i = 0; i < 6; i++)
        sw_tb_scalar(tb, "special", i, special[i]);
    static const char *const tags[] = {"gr\303\266\303\237e \360\237\224\245",
                                       "a b?c&d=e/f%20",
                                       "bad \xff byte",
                                       "/leading",
                                       "trailing/",
                                       ""};
    for (int i = 0; i < 6; i++)
        sw_tb_scalar(tb, tags[i], 1, i);
    sw_tb_scalar(tb, "far", INT64_C(1) << 40, 7);
}

static void values(struct sw_tb *tb)
{
    static const char *const cells[] = {"**phase**", "**ms**", "forward", "5.00"};
    struct sw_bin bin[] = {{1, 2, 5}, {2, 4, 6}, {8, 16, 7}};
    double weight[1000];
    for (int i = 0; i < 1000; i++)
        weight[i] = i;
    for (int step = 0; step < 3; step++) {
        bin[0].count++;
        sw_tb_histogram(tb, "dist/bins", step, bin, 3);
    }
    sw_tb_histogram_values(tb, "dist/weights", 0, weight, 1000);
    sw_tb_text(tb, "notes/table", 5, "| a | b |\n|:--|--:|\n| one | *two* |\n\nand `code`");
    sw_tb_text(tb, "notes/bad", 5, "bad \xff byte <script>alert(1)</script>");
    sw_tb_table(tb, "notes/cells", 5, cells, 2, 2);
}

/* A grey picture of one pixel. */
static const unsigned char png[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00,
    0x00, 0x3a, 0x7e, 0x9b, 0x55, 0x00, 0x00, 0x00, 0x0a, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0x68, 0x00, 0x00, 0x00, 0x82, 0x00, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0x00,
    0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

static void pages(struct sw_tb *tb)
{
    struct sw_tb_chart chart[] = {
        {"Charts", "both", (const char *const[]){"loss/.*", NULL}, NULL, false},
        {"Charts", "band", NULL,
         (const char *const[]){"loss/train", "loss/train", "loss/valid", NULL}, false}};
    struct sw_tb_hparam hparam[] = {{"lr", SW_TB_NUMBER, 0.25, NULL},
                                    {"optimizer", SW_TB_STRING, 0, "adam"},
                                    {"amp", SW_TB_BOOL, 1, NULL}};
    sw_tb_layout(tb, 0, chart, 2);
    sw_tb_image(tb, "picture", 5, 1, 1, png, sizeof png);
    sw_tb_hparams(tb, hparam, 3, NULL);
    sw_tb_set_time(tb, BASE + 1000);
    sw_tb_hparams_end(tb, SW_TB_FAILURE);
}

/* In a directory of its own: of several experiments TensorBoard takes any one. */
static void experiment(const char *dir)
{
    struct sw_tb_column column[] = {{.name = "lr", .type = SW_TB_NUMBER, .title = "learning rate"}};
    struct sw_tb_metric metric[] = {{.tag = "loss/train", .title = "loss"}};
    struct sw_tb_experiment e = {
        .name = "alone", .columns = 1, .column = column, .metrics = 1, .metric = metric};
    struct sw_tb_hparam hparam = {"lr", SW_TB_NUMBER, 0.25, NULL};
    struct sw_tb *tb = open_run(dir, "alone");
    sw_tb_experiment(tb, &e);
    sw_tb_hparams(tb, &hparam, 1, NULL);
    sw_tb_scalar(tb, "loss/train", 3, 0.5);
    close_run(tb);
}

/* A crash after step 9, and a resume from step 6. */
static void resume(const char *dir)
{
    for (int part = 0; part < 2; part++) {
        struct sw_tb *tb = open_run(dir, "resume");
        int from = part == 0 ? 0 : 6;
        sw_tb_start(tb, from);
        for (int i = from; i < 10; i++)
            sw_tb_scalar(tb, "loss", i, 100 * part + i);
        close_run(tb);
    }
}

static void many_tags(const char *dir)
{
    char tag[64];
    struct sw_tb *tb = open_run(dir, "many");
    for (int i = 0; i < 100000; i++) {
        snprintf(tag, sizeof tag, "group%d/tag%d", i / 1000, i);
        sw_tb_scalar(tb, tag, 0, i);
    }
    close_run(tb);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    struct sw_tb *tb = open_run(argv[1], "kinds");
    scalars(tb);
    values(tb);
    pages(tb);
    sw_tb_close(tb, NULL);
    resume(argv[1]);
    many_tags(argv[2]);
    experiment(argv[3]);
    return 0;
}
