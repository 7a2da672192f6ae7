// SPDX-License-Identifier: MIT
// An exception through three open calls, in each second call; names as the C++ demangler gives
// them.
#include <stdexcept>
#include <string>

namespace net
{
static volatile int sink;

static void leaf(int)
{
    sink = sink + 1;
}

template <typename T> void layer(T value)
{
    leaf(1);
    if (static_cast<int>(value) % 2)
        throw std::runtime_error("odd");
    leaf(2);
}

struct model {
    void forward(int i)
    {
        layer<double>(i);
        leaf(3);
    }
};
} // namespace net

static void step(net::model &m, int i)
{
    m.forward(i);
    net::leaf(4);
}

static void attempt(net::model &m, int i)
{
    try {
        step(m, i);
    } catch (const std::exception &) {
        net::leaf(5);
    }
}

int main()
{
    net::model m;
    for (int i = 0; i < 8; i++)
        attempt(m, i);
    return 0;
}
