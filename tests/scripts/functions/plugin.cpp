/* SPDX-License-Identifier: MIT */
/* plugin.cpp - a plugin in C++ that throws and catches. */
#include <stdexcept>

static void thrower(int number)
{
    if (number >= 0)
        throw std::runtime_error("thrown");
}

extern "C" int caught(int count)
{
    int seen = 0;
    for (int i = 0; i < count; i++)
        try {
            thrower(i);
        } catch (const std::exception &) {
            seen++;
        }
    return seen;
}
