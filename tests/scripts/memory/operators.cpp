/* SPDX-License-Identifier: MIT */
/* Every operator new and delete counts one call and the bytes of its block, whoever provides it. A
 * program, and with counted() a plugin. */
#include <stepwatch/memory.h>

#include <cstdio>
#include <dlfcn.h>
#include <malloc.h>
#include <new>
#include <string>
#include <vector>

namespace
{
int wrong;
struct sw_memory *here;
struct alignas(64) wide {
    char bytes[192];
};

void expect(const char *what, int64_t found, int64_t expected)
{
    if (found == expected)
        return;
    std::printf("%s: expected %lld, found %lld\n", what, (long long)expected, (long long)found);
    wrong++;
}

template <class Take, class Give> void pair(const char *what, Take take, Give give)
{
    const struct sw_memory before = *here;
    auto block = take();
    const auto size = (int64_t)malloc_usable_size((void *)block);
    expect(what, here->allocated - before.allocated, size);
    expect(what, here->allocs - before.allocs, 1);
    give(block);
    expect(what, here->freed - before.freed, size);
    expect(what, here->frees - before.frees, 1);
    expect(what, here->net, before.net);
}

bool is_refused(size_t size)
{
    try {
        ::operator delete(::operator new(size));
    } catch (const std::bad_alloc &) {
        return true;
    }
    return false;
}

void huge()
{
    volatile size_t size = SIZE_MAX / 2 - 64;
    /* The first exception of a thread has memory that stays. */
    is_refused(size);
    const struct sw_memory before = *here;
    expect("bad_alloc", is_refused(size), true);
    expect("nothrow", ::operator new(size, std::nothrow) == nullptr, true);
    expect("what fails", here->net, before.net);
}

void all()
{
    const std::align_val_t wide_at{64};
    pair(
        "new", [] { return ::operator new(104); }, [](void *p) { ::operator delete(p); });
    pair(
        "sized", [] { return ::operator new(104); }, [](void *p) { ::operator delete(p, 104); });
    pair(
        "new[]", [] { return ::operator new[](104); }, [](void *p) { ::operator delete[](p); });
    pair(
        "nothrow", [] { return ::operator new(104, std::nothrow); },
        [](void *p) { ::operator delete(p, std::nothrow); });
    pair(
        "aligned", [&] { return ::operator new(192, wide_at); },
        [&](void *p) { ::operator delete(p, wide_at); });
    pair(
        "aligned[]", [] { return new wide[3]; }, [](wide *p) { delete[] p; });
    pair(
        "aligned nothrow", [&] { return ::operator new(192, wide_at, std::nothrow); },
        [&](void *p) { ::operator delete(p, 192, wide_at); });
    ::operator delete(nullptr);
    const int64_t net = here->net;
    {
        std::vector<std::string> lines;
        for (int i = 0; i < 100; i++)
            lines.push_back(std::string((size_t)i * 10, 'x'));
        expect("a vector", here->net > net + 40000, true);
    }
    expect("a vector that is gone", here->net, net);
    /* mimalloc ends the program instead of throwing. */
    if (!dlsym(RTLD_DEFAULT, "mi_version"))
        huge();
}
} // namespace

extern "C" int counted(struct sw_memory *memory)
{
    here = memory;
    all();
    return wrong;
}

#ifndef PLUGIN
int main()
{
    return counted(sw_memory_here());
}
#endif
