// SPDX-License-Identifier: MIT
// Makes each operator and each record_function of torch a region of stepwatch. stepwatch.torch
// compiles it against the torch of the user; it gets the addresses of the library's functions, so
// it links nothing of stepwatch.
#include <ATen/record_function.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace
{

struct profiler {
    void *sw;
    int (*action)(const char *name);
    int (*shaped)(int action, const char *shape);
    void (*begin)(void *sw, int action);
    void (*end)(void *sw, int action);
    bool shapes;
};

// Callbacks get no argument of their own. A call that another thread has begun may still read it
// after remove().
std::atomic<profiler *> observed{nullptr};

struct region : public at::ObserverContext {
    profiler *of;
    int action;
};

std::string shape_of(const at::RecordFunction &function)
{
    std::string text = "[";
    for (const c10::IValue &input : function.inputs()) {
        text += text.size() > 1 ? ", [" : "[";
        if (input.isTensor() && input.toTensor().defined()) {
            const auto sizes = input.toTensor().sizes();
            for (size_t i = 0; i < sizes.size(); i++)
                text += (i ? ", " : "") + std::to_string(sizes[i]);
        }
        text += "]";
    }
    return text + "]";
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction &function)
{
    auto context = std::make_unique<region>();
    context->of = observed.load();
    if (context->of) {
        context->action = context->of->action(function.name());
        if (context->of->shapes)
            context->action = context->of->shaped(context->action, shape_of(function).c_str());
        context->of->begin(context->of->sw, context->action);
    }
    return context;
}

void on_end(const at::RecordFunction &, at::ObserverContext *context)
{
    auto *open = static_cast<region *>(context);
    if (open && open->of && open->of == observed.load())
        open->of->end(open->of->sw, open->action);
}

uint64_t observer_add(const std::vector<uint64_t> &address, bool shapes)
{
    auto *of = new profiler{reinterpret_cast<void *>(address[0]),
                            reinterpret_cast<int (*)(const char *)>(address[1]),
                            reinterpret_cast<int (*)(int, const char *)>(address[2]),
                            reinterpret_cast<void (*)(void *, int)>(address[3]),
                            reinterpret_cast<void (*)(void *, int)>(address[4]),
                            shapes};
    observed.store(of); // never freed: some bytes for each observer
    return at::addGlobalCallback(
        at::RecordFunctionCallback(on_start, on_end)
            .needsInputs(shapes)
            .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                     at::RecordScope::USER_SCOPE}));
}

void observer_remove(uint64_t handle)
{
    observed.store(nullptr);
    at::removeCallback(handle);
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module)
{
    module.def("add", &observer_add);
    module.def("remove", &observer_remove);
}
