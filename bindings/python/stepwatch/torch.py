# SPDX-License-Identifier: MIT
"""PyTorch: a loop of three lines is measured without marks, and torch's own operators are rows.

    with watch(sw, model, optimizer, criterion):
        for x, y in sw.draws(loader):
            criterion(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
"""
from __future__ import annotations

import collections
import contextlib
import fcntl
import functools
import os
import threading
import types
from collections.abc import Callable
from typing import Any

import torch

import stepwatch
from stepwatch import _core

__all__ = ["Watch", "observe", "watch"]
_observing: list[stepwatch.Profiler] = []  # the one that observe() was called with


class Watch(contextlib.ExitStack):
    """What watch() has added: remove() takes it off again, and so does the end of a ``with``."""

    remove = contextlib.ExitStack.close


class _Hooks:
    """The hooks of a module. They are pickled with it, and measure nothing where it is loaded."""

    def __init__(self, sw: stepwatch.Profiler, action: str | None = None, shapes: bool = False) -> None:
        self._sw, self._action, self._shapes = sw, action, shapes
        self._opened: dict[int, list[Any]] = collections.defaultdict(list)  # of each thread
        self._is_told = True  # when the module ends with an exception

    def add(self, watched: Watch, module: Any) -> None:
        watched.callback(module.register_forward_pre_hook(self.before).remove)
        try:
            hook = module.register_forward_hook(self.after, always_call=True)  # after an exception, too
        except TypeError:  # before torch 2.0
            self._is_told = False
            hook = module.register_forward_hook(self.after)
        watched.callback(hook.remove)

    def before(self, module: Any, inputs: tuple[Any, ...]) -> None:
        region = getattr(self._sw, self._action or ("forward" if module.training else "predict"))
        if self._shapes:
            region = self._sw.shaped(region, str([list(value.shape) for value in inputs if isinstance(value, torch.Tensor)]))
        opened = self._opened[threading.get_ident()]
        if opened and not self._is_told:
            self._sw.cancel(opened.pop())
        if not opened:  # else the module calls itself
            self._sw.begin(region)
        opened.append(region)

    def after(self, module: Any, inputs: tuple[Any, ...], output: Any) -> None:
        opened = self._opened[threading.get_ident()]
        region = opened.pop() if opened else None
        if region is not None and not opened:
            self._sw.end(region)


def _replace(owner: Any, name: str) -> tuple[list[Any], Callable[[], None]]:
    """Replaces a function of a module, or a method of an object. Returns a list for the regions that measure its calls, and what
    ends that. Schedulers of torch need a method whose __self__ is the optimizer, and accelerate asks for its signature."""
    given, own, is_method = getattr(owner, name), owner.__dict__.get(name), not isinstance(owner, types.ModuleType)
    regions: list[Any] = []

    @functools.wraps(getattr(given, "__func__", given))
    def measured(*args: Any, **keywords: Any) -> Any:
        with contextlib.ExitStack() as opened:
            for region in dict.fromkeys(regions):
                opened.enter_context(region)
            return given(*args[is_method:], **keywords)
    replacement = types.MethodType(measured, owner) if is_method else measured

    def restore() -> None:
        if owner.__dict__.get(name) is replacement:  # else a scheduler that came later goes on to call it
            delattr(owner, name) if own is None else setattr(owner, name, own)
    measured.measures = regions, restore  # type: ignore[attr-defined]
    setattr(owner, name, replacement)
    return regions, restore


def _wrap(watched: Watch, owner: Any, name: str, region: Any) -> None:
    """All that is watched shares one replacement of a function, so it may end in any order."""
    regions, restore = getattr(getattr(owner, name), "measures", None) or _replace(owner, name)
    regions.append(region)

    def end() -> None:
        regions.remove(region)
        if not regions:
            restore()
    watched.callback(end)


def watch(sw: stepwatch.Profiler, model: Any, optimizer: Any = None, criterion: Any = None, *, shapes: bool = False) -> Watch:
    """Measures forward (predict, while the model evaluates), backward, opt_step and zero_grad; and loss, if the criterion
    is a module: a function has no hooks. shapes: a row for each shape of the model's input.

    Until remove(), every backward() of the process counts. Draw and batch are those of ``sw.draws(loader)``. A model that is
    saved as a whole until then can only be loaded where stepwatch is installed; its ``state_dict()`` can be everywhere.
    """
    with Watch() as watched:  # an exception takes off what was added
        _Hooks(sw, shapes=shapes).add(watched, model)
        if isinstance(criterion, torch.nn.Module):
            _Hooks(sw, "loss").add(watched, criterion)
        if hasattr(optimizer, "gradient_state"):  # of accelerate, whose own step() does nothing until enough is accumulated
            optimizer = optimizer.optimizer
        if optimizer is not None:
            _wrap(watched, optimizer, "step", sw.opt_step)
            _wrap(watched, optimizer, "zero_grad", sw.zero_grad)
        _wrap(watched, torch.autograd, "backward", sw.backward)
        return watched.pop_all()


@functools.lru_cache(maxsize=None)
def _extension() -> Any:
    from torch.utils import cpp_extension
    name, source = "stepwatch_observer", os.path.join(os.path.dirname(os.path.abspath(__file__)), "_observer.cpp")
    try:
        folder = cpp_extension._get_build_directory(name, False)
        with open(os.path.join(folder, "stepwatch.lock"), "w") as ours:
            fcntl.flock(ours, fcntl.LOCK_EX)
            # torch's own lock is a file. If a process is killed while it compiles, all later ones would wait for ever.
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(folder, "lock"))
            # NDEBUG, as in torch itself: without it, RecordFunction has other members.
            return cpp_extension.load(name, [source], extra_cflags=["-O2", "-DNDEBUG"])
    except Exception as error:
        raise stepwatch.Error(stepwatch.Error.EINVAL, "the observer of torch cannot be compiled; it needs a C++ compiler and "
                              f"the package ninja: {error}") from None


def observe(sw: stepwatch.Profiler, *, shapes: bool = False, flops: bool = False, memory: bool = False) -> Watch:
    """Makes each operator (``aten::mm``) and each record_function of torch a row, in all threads, until remove() or
    ``sw.close()``. One profiler can observe torch at a time.

    shapes: a row for each shape of the inputs. flops: counts what the operators compute, by torch's formulas (the counter
    "flops"). memory: counts the bytes of tensors that this thread allocates and frees ("tensor_allocated" and
    "tensor_freed"); torch.profiler cannot run on the thread at the same time.

    Print them as torch does: ``sw.report().text(style="torch", sort="self_cpu_time_total", limit=10)``; with shapes,
    ``group_by="shape"``. The first call compiles a small extension against the installed torch, which takes about a minute.
    Raises Error if that is not possible.
    """
    observer = Watch()
    if sw.is_on:
        if _observing:
            raise stepwatch.Error(stepwatch.Error.EINVAL, "torch is observed already: end that first, with remove()")
        extension = _extension()
        if memory and torch._C._autograd._profiler_enabled():
            raise stepwatch.Error(stepwatch.Error.EINVAL, "memory=True: torch.profiler is running on this thread, and torch reports "
                                  "its allocations to only one: end it first, or observe without memory")
        handle = extension.add(_core.addresses(sw), shapes, flops, memory)
        _observing.append(sw)
        sw._at_close.append(observer.remove)

        def end() -> None:
            sw._at_close.remove(observer.remove)
            _observing.clear()
            extension.remove(handle, memory)
        observer.callback(end)
    return observer
