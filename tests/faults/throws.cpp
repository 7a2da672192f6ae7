// SPDX-License-Identifier: MIT
// throws.cpp - a training loop that ends by an exception which nobody catches.
//
//     throws CONFIG.yaml STEPS
#include <stepwatch/stepwatch.h>

#include <cstdlib>
#include <stdexcept>

static void step(sw_profiler *sw, int number, int steps)
{
    sw_begin(sw, SW_DRAW);
    sw_next(sw, SW_BATCH);
    SW_SCOPE(sw, SW_FORWARD);
    if (number == steps)
        throw std::runtime_error("the loss is not finite");
    sw_log(sw, "train/loss", 1.0 / (number + 1));
    sw_end_batch(sw, 64);
}

int main(int argc, char **argv)
{
    sw_profiler *sw = argc == 3 ? sw_open(argv[1], nullptr) : nullptr;
    if (!sw)
        return 99;
    SW_SCOPE(sw, SW_FIT);
    for (int i = 0;; i++)
        step(sw, i, std::atoi(argv[2]));
}
