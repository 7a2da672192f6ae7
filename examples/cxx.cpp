/* SPDX-License-Identifier: MIT */
/* cxx.cpp - a loop in C++. Regions end with their block, even if a batch throws an exception. */
#include <stepwatch/stepwatch.hpp>

#include <iostream>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

using stepwatch::region;

static std::vector<double> draw(int step)
{
    return std::vector<double>(100, step % 10);
}

/* Returns the mean of a batch. Throws if all values are zero. */
static double loss(const std::vector<double> &batch)
{
    double sum = std::accumulate(batch.begin(), batch.end(), 0.0);
    if (sum <= 0)
        throw std::runtime_error("an empty picture");
    return sum / static_cast<double>(batch.size());
}

static void step(const stepwatch::profiler &sw, int number)
{
    region drawing(sw, SW_DRAW);
    std::vector<double> batch = draw(number);
    drawing.end();

    stepwatch::batch measured(sw); /* if loss() throws, it is cancelled and does not count */
    {
        region forward(sw, SW_FORWARD); /* ends here, even if loss() throws */
        sw_log(sw, "train/loss", loss(batch));
    }
    measured.samples(static_cast<int64_t>(batch.size()));
}

int main()
{
    stepwatch::profiler sw;
    std::cerr << sw.error();
    stepwatch::span checkpoint(sw, sw_action("checkpoint")); /* may overlap with the loop */
    stepwatch::note note(sw, "training begins");
    int bad = 0;
    {
        region fit(sw, SW_FIT);
        for (int number = 0; number < 100; number++) {
            try {
                step(sw, number);
            } catch (const std::runtime_error &) {
                note("an empty batch");
                bad++;
            }
        }
        stepwatch::span moved(std::move(checkpoint)); /* ends with this block, on whatever thread */
    }
    bool fine = sw.close();
    std::cerr << sw.error();
    std::cout << bad << " batches left out\n";
    return fine ? 0 : 1;
}
