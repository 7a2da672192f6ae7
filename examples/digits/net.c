/* SPDX-License-Identifier: MIT */
/* net.c - a multi-layer perceptron in plain loops, one row of the batch at a time. */
#include "net.h"

#include "random.h"

#include <stdlib.h>
#include <string.h>

static const float *layer_input(const struct net *net, int i, const struct batch *batch)
{
    return i == 0 ? batch->pixel[0] : net->layer[i - 1].output;
}

/* ---- make and free --------------------------------------------------------------------------- */

/* Gives the layer its parameters, from index `first` on. Returns the index after the last one. */
static int layer_init(struct net *net, struct layer *layer, int first, int batch_size)
{
    size_t outputs = (size_t)layer->outputs * (size_t)batch_size;
    int weights = layer->inputs * layer->outputs;
    layer->weight = net->parameter + first;
    layer->weight_grad = net->gradient + first;
    layer->bias = layer->weight + weights;
    layer->bias_grad = layer->weight_grad + weights;
    layer->output = calloc(outputs, sizeof *layer->output);
    layer->delta = calloc(outputs, sizeof *layer->delta);
    return first + weights + layer->outputs;
}

static void weights_by_chance(struct layer *layer, struct random *random)
{
    float deviation = sqrtf(2.0f / (float)layer->inputs);
    for (int i = 0; i < layer->inputs * layer->outputs; i++)
        layer->weight[i] = deviation * random_normal(random);
}

struct net *net_new(int batch_size, uint64_t seed)
{
    static const int width[LAYERS + 1] = {PIXELS, HIDDEN_1, HIDDEN_2, CLASSES};
    struct random random = {seed};
    struct net *net = calloc(1, sizeof *net);

    for (int i = 0, first = 0; net && i < LAYERS; i++) {
        struct layer *layer = &net->layer[i];
        layer->inputs = width[i];
        layer->outputs = width[i + 1];
        first = layer_init(net, layer, first, batch_size);
        weights_by_chance(layer, &random);
        if (!layer->output || !layer->delta) {
            net_free(net);
            return NULL;
        }
    }
    return net;
}

void net_free(struct net *net)
{
    for (int i = 0; net && i < LAYERS; i++) {
        free(net->layer[i].output);
        free(net->layer[i].delta);
    }
    free(net);
}

/* ---- forward --------------------------------------------------------------------------------- */

static void row_forward(const struct layer *layer, const float *input, float *restrict output)
{
    memcpy(output, layer->bias, (size_t)layer->outputs * sizeof *output);
    for (int i = 0; i < layer->inputs; i++) {
        const float *weight = layer->weight + i * layer->outputs;
        for (int k = 0; k < layer->outputs; k++)
            output[k] += input[i] * weight[k];
    }
}

static void relu(float *value, int count)
{
    for (int i = 0; i < count; i++)
        value[i] = value[i] > 0 ? value[i] : 0;
}

void forward(struct net *net, const struct batch *batch)
{
    for (int i = 0; i < LAYERS; i++) {
        struct layer *layer = &net->layer[i];
        const float *input = layer_input(net, i, batch);
        for (int row = 0; row < batch->count; row++)
            row_forward(layer, input + row * layer->inputs, layer->output + row * layer->outputs);
        if (i < LAYERS - 1)
            relu(layer->output, batch->count * layer->outputs);
    }
}

/* ---- loss ------------------------------------------------------------------------------------ */

static int largest(const float *output)
{
    int best = 0;
    for (int k = 1; k < CLASSES; k++)
        best = output[k] > output[best] ? k : best;
    return best;
}

/* Softmax: turns outputs into probabilities. Subtracts the largest first, so that expf() cannot
 * overflow. */
static void probabilities(const float *output, float *probability)
{
    float sum = 0, most = output[largest(output)];
    for (int k = 0; k < CLASSES; k++)
        sum += probability[k] = expf(output[k] - most);
    for (int k = 0; k < CLASSES; k++)
        probability[k] /= sum;
}

float nll(struct net *net, const struct batch *batch)
{
    struct layer *last = &net->layer[LAYERS - 1];
    float loss = 0;
    for (int row = 0; row < batch->count; row++) {
        float *delta = last->delta + row * CLASSES;
        int label = batch->label[row];
        probabilities(last->output + row * CLASSES, delta);
        loss -= logf(delta[label] < 1e-30f ? 1e-30f : delta[label]); /* a NAN stays one */
        /* The derivative of the loss by an output is its probability, minus 1 for the label. */
        delta[label] -= 1;
        for (int k = 0; k < CLASSES; k++)
            delta[k] /= (float)batch->count;
    }
    return loss / (float)batch->count;
}

int count_right(const struct net *net, const struct batch *batch)
{
    int right = 0;
    for (int row = 0; row < batch->count; row++)
        right += largest(net->layer[LAYERS - 1].output + row * CLASSES) == batch->label[row];
    return right;
}

/* ---- backward -------------------------------------------------------------------------------- */

static void row_gradient(struct layer *layer, const float *input, const float *delta)
{
    for (int i = 0; i < layer->inputs; i++) {
        float *restrict gradient = layer->weight_grad + i * layer->outputs;
        for (int k = 0; k < layer->outputs; k++)
            gradient[k] += input[i] * delta[k];
    }
    for (int k = 0; k < layer->outputs; k++)
        layer->bias_grad[k] += delta[k];
}

/* Computes the derivative by the layer's input, which is the output of the layer below: 0 where the
 * ReLU cut it off. */
static void row_delta(const struct layer *layer, const float *input, const float *delta,
                      float *input_delta)
{
    for (int i = 0; i < layer->inputs; i++) {
        const float *weight = layer->weight + i * layer->outputs;
        float sum = 0;
        for (int k = 0; k < layer->outputs; k++)
            sum += weight[k] * delta[k];
        input_delta[i] = input[i] > 0 ? sum : 0;
    }
}

void backward(struct net *net, const struct batch *batch)
{
    for (int i = LAYERS - 1; i >= 0; i--) {
        struct layer *layer = &net->layer[i];
        const float *input = layer_input(net, i, batch);
        for (int row = 0; row < batch->count; row++) {
            const float *row_input = input + row * layer->inputs;
            const float *delta = layer->delta + row * layer->outputs;
            row_gradient(layer, row_input, delta);
            if (i > 0)
                row_delta(layer, row_input, delta, net->layer[i - 1].delta + row * layer->inputs);
        }
    }
}

/* ---- optimizer ------------------------------------------------------------------------------- */

void adam(struct net *net, float learning_rate)
{
    const float mean_keeps = 0.9f, square_keeps = 0.999f, epsilon = 1e-8f;
    net->steps++;
    /* Both averages start at 0; this corrects the bias. */
    float mean_scale = 1 / (1 - powf(mean_keeps, (float)net->steps));
    float square_scale = 1 / (1 - powf(square_keeps, (float)net->steps));

    for (int i = 0; i < PARAMETERS; i++) {
        float gradient = net->gradient[i];
        net->mean[i] = mean_keeps * net->mean[i] + (1 - mean_keeps) * gradient;
        net->square[i] = square_keeps * net->square[i] + (1 - square_keeps) * gradient * gradient;
        net->parameter[i] -= learning_rate * net->mean[i] * mean_scale /
                             (sqrtf(net->square[i] * square_scale) + epsilon);
    }
}

void zero(struct net *net)
{
    memset(net->gradient, 0, sizeof net->gradient);
}
