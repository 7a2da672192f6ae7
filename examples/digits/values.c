/* SPDX-License-Identifier: MIT */
#include "values.h"

#include <math.h>
#include <string.h>

enum { CELL = 16 }; /* pixels of a side of a cell in the confusion matrix */

/* ---- collecting ------------------------------------------------------------------------------ */

static int answer_of(const float *output)
{
    int best = 0;
    for (int i = 1; i < CLASSES; i++)
        best = output[i] > output[best] ? i : best;
    return best;
}

/* The softmax of the answer. */
static float sureness_of(const float *output, int answer)
{
    float sum = 0;
    for (int i = 0; i < CLASSES; i++)
        sum += expf(output[i] - output[answer]);
    return 1 / sum;
}

static void wrong_add(struct mistakes *mistakes, const float *output, int answer, int label,
                      const float *pixel)
{
    int at = mistakes->count;
    if (at == WRONG_KEPT)
        return;
    mistakes->count++;
    mistakes->label[at] = label;
    mistakes->answer[at] = answer;
    mistakes->sure[at] = sureness_of(output, answer);
    memcpy(mistakes->pixel[at], pixel, sizeof mistakes->pixel[at]);
}

void mistakes_add(struct mistakes *mistakes, const struct net *net, const struct batch *batch)
{
    for (int row = 0; row < batch->count; row++) {
        const float *output = net->layer[LAYERS - 1].output + row * CLASSES;
        int answer = answer_of(output), label = batch->label[row];
        mistakes->confusion[label][answer]++;
        if (answer != label)
            wrong_add(mistakes, output, answer, label, batch->pixel[row]);
    }
}

/* ---- logging --------------------------------------------------------------------------------- */

/* A row for each label, a column for each answer: the darker, the more of the row. */
static void confusion_log(struct sw_profiler *sw, const struct mistakes *mistakes)
{
    uint8_t pixels[CLASSES * CELL][CLASSES * CELL];
    for (int y = 0; y < CLASSES * CELL; y++) {
        const int *row = mistakes->confusion[y / CELL];
        int sum = 0;
        for (int i = 0; i < CLASSES; i++)
            sum += row[i];
        for (int x = 0; x < CLASSES * CELL; x++)
            pixels[y][x] = (uint8_t)(255 - (sum ? 255 * row[x / CELL] / sum : 0));
    }
    sw_log_image(sw, "valid/confusion", SW_U8, pixels, CLASSES * CELL, CLASSES * CELL, 1,
                 "a row for each digit, a column for each answer, 0 to 9");
}

static void table_log(struct sw_profiler *sw, const struct mistakes *mistakes)
{
    const struct sw_table_column columns[] = {{"digit", SW_I32, mistakes->label},
                                              {"read as", SW_I32, mistakes->answer},
                                              {"sure", SW_F32, mistakes->sure}};
    sw_log_table(sw, "valid/wrong", columns, 3, (size_t)mistakes->count);
}

/* 0 is paper: black on white, as it was written. */
static void images_log(struct sw_profiler *sw, const struct mistakes *mistakes)
{
    struct sw_image image[WRONG_KEPT];
    char caption[WRONG_KEPT][32];
    memset(image, 0, sizeof image);
    for (int i = 0; i < mistakes->count; i++) {
        snprintf(caption[i], sizeof caption[i], "%d read as %d", (int)mistakes->label[i],
                 (int)mistakes->answer[i]);
        image[i].size = sizeof image[i];
        image[i].data = mistakes->pixel[i];
        image[i].layout = SW_HWC;
        image[i].type = SW_F32;
        image[i].width = image[i].height = SIDE;
        image[i].channels = 1;
        image[i].low = 1;
        image[i].high = 0;
        image[i].caption = caption[i];
    }
    sw_log_images(sw, "valid/wrong_digits", image, (size_t)mistakes->count);
}

void mistakes_log(struct sw_profiler *sw, const struct mistakes *mistakes, const struct net *net)
{
    const struct layer *first = &net->layer[0];
    if (sw_wants(sw, SW_VALUE_IMAGES)) {
        confusion_log(sw, mistakes);
        images_log(sw, mistakes);
    }
    table_log(sw, mistakes);
    sw_log_vector(sw, "weights/first_layer", SW_F32, first->weight,
                  (size_t)first->inputs * (size_t)first->outputs, SW_HISTOGRAM);
}

void loss_watch(struct sw_profiler *sw, double loss)
{
    if (isnan(loss))
        sw_alert(sw, SW_ERROR, "the loss is NaN", "train/loss is not a number: lower --lr");
}
