// SPDX-License-Identifier: MIT
// Makes each operator and each record_function of torch a region of stepwatch, and counts what
// torch's own profiler counts: FLOPs by torch's formulas, and bytes of its allocators.
// stepwatch.torch compiles it against the torch of the user; it gets the addresses of the library's
// functions, so it links nothing of stepwatch.
#include <pybind11/pybind11.h>
#include <torch/csrc/profiler/orchestration/observer.h>
#include <torch/csrc/profiler/util.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>

namespace
{

namespace impl = torch::profiler::impl;

struct observer {
    void *sw;
    int (*action)(const char *name);
    int (*shaped)(int action, const char *shape);
    void (*begin)(void *sw, int action);
    void (*end)(void *sw, int action);
    int (*counter)(const char *name);
    void (*count)(void *sw, int counter, int64_t n);
    bool shapes, flops;
};

// Callbacks get no argument of their own. A call that another thread has begun may still read it
// after remove(), so an observer is never freed: some bytes for each.
std::atomic<observer *> observed{nullptr};

struct region : public at::ObserverContext {
    observer *of = observed.load();
    int action = 0;
};

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction &function)
{
    auto open = std::make_unique<region>();
    if (observer *of = open->of) {
        open->action = of->action(function.name());
        if (of->shapes)
            open->action =
                of->shaped(open->action, impl::shapesToStr(impl::inputSizes(function)).c_str());
        of->begin(of->sw, open->action);
        if (of->flops) {
            auto more = impl::saveExtraArgs(function);
            if (uint64_t n = more.empty() ? 0 : impl::computeFlops(function.name(), more))
                of->count(of->sw, of->counter("flops"), static_cast<int64_t>(n));
        }
    }
    return open;
}

void on_end(const at::RecordFunction &, at::ObserverContext *context)
{
    auto *open = static_cast<region *>(context);
    if (open && open->of && open->of == observed.load())
        open->of->end(open->of->sw, open->action);
}

// torch reports allocations to the state of a profiler. torch.profiler takes them over while it
// runs, so it must find one.
struct allocations : public impl::ProfilerStateBase {
    using impl::ProfilerStateBase::ProfilerStateBase;
    impl::ActiveProfilerType profilerType() override
    {
        return impl::ActiveProfilerType::NONE;
    }
    bool memoryProfilingEnabled() const override
    {
        return true;
    }
    void reportMemoryUsage(void *, int64_t bytes, size_t, size_t, c10::Device) override
    {
        if (observer *of = observed.load())
            of->count(of->sw, of->counter(bytes < 0 ? "tensor_freed" : "tensor_allocated"),
                      bytes < 0 ? -bytes : bytes);
    }
};

uint64_t observer_add(const std::string &addresses, bool shapes, bool flops, bool memory)
{
    auto *of = new observer{};
    std::memcpy(of, addresses.data(), std::min(addresses.size(), offsetof(observer, shapes)));
    of->shapes = shapes;
    of->flops = flops;
    observed.store(of);
    if (memory)
        c10::ThreadLocalDebugInfo::_push(
            c10::DebugInfoKind::PROFILER_STATE,
            std::make_shared<allocations>(impl::ProfilerConfig(impl::ProfilerState::Disabled)));
    return at::addGlobalCallback(
        at::RecordFunctionCallback(on_start, on_end)
            .needsInputs(shapes || flops)
            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                     at::RecordScope::USER_SCOPE}));
}

void observer_remove(uint64_t handle, bool memory)
{
    observed.store(nullptr);
    at::removeCallback(handle);
    if (memory)
        c10::ThreadLocalDebugInfo::_pop(c10::DebugInfoKind::PROFILER_STATE);
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module)
{
    module.def("add", &observer_add);
    module.def("remove", &observer_remove);
}
