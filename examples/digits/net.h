/* SPDX-License-Identifier: MIT */
/* net.h - a multi-layer perceptron 64-128-64-10 and the Adam optimizer, written to be read. */
#ifndef DIGITS_NET_H
#define DIGITS_NET_H

#include "loader.h"

enum {
    LAYERS = 3,
    HIDDEN_1 = 128,
    HIDDEN_2 = 64,
    PARAMETERS = (PIXELS + 1) * HIDDEN_1 + (HIDDEN_1 + 1) * HIDDEN_2 + (HIDDEN_2 + 1) * CLASSES
};

/* A fully connected layer: its part of the network's parameters, and its output for one batch. */
struct layer {
    int inputs, outputs;
    float *weight, *weight_grad; /* [inputs][outputs] */
    float *bias, *bias_grad;     /* [outputs] */
    float *output;               /* [batch][outputs] */
    float *delta;                /* [batch][outputs]: derivative of the loss by the output */
};

struct net {
    struct layer layer[LAYERS];
    float parameter[PARAMETERS];
    float gradient[PARAMETERS];
    float mean[PARAMETERS];   /* Adam's rolling averages of the gradient */
    float square[PARAMETERS]; /* and of its square */
    int steps;                /* optimizer steps so far */
};

/* Returns a network with random weights (He initialisation) for batches of up to batch_size, or
 * NULL if out of memory. */
struct net *net_new(int batch_size, uint64_t seed);

/* Accepts NULL. */
void net_free(struct net *net);

/* Computes the outputs, one number for each digit. The largest is the network's answer. */
void forward(struct net *net, const struct batch *batch);

/* Returns the mean negative log likelihood of the labels. Stores the derivatives for backward(). */
float nll(struct net *net, const struct batch *batch);

/* Returns how many answers are right. */
int count_right(const struct net *net, const struct batch *batch);

/* Adds the loss's gradient to net->gradient. */
void backward(struct net *net, const struct batch *batch);

/* Updates the parameters with Adam (Kingma and Ba). */
void adam(struct net *net, float learning_rate);

/* Sets the gradient to zero. */
void zero(struct net *net);

#endif
