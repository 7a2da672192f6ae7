# SPDX-License-Identifier: MIT
"""Regions as decorators, and spans, which may overlap."""
from __future__ import annotations

import functools
import inspect
from typing import Any, Callable

from . import _core


class Span:
    """An interval that need not nest and may end on another thread or in another task: ``with`` and ``async with``."""

    __slots__ = ("_region", "_id")

    def __init__(self, region: _core.Region) -> None:
        self._region = region
        self._id = 0

    def __enter__(self) -> Span:
        if self._id:
            raise _core.Error(_core.Error.EINVAL, "a span has only one beginning at a time: make one for each with")
        self._id = self._region.span_begin()
        return self

    def __exit__(self, *exception: object) -> None:
        self._region.span_end(self._id)
        self._id = 0

    async def __aenter__(self) -> Span:
        return self.__enter__()

    async def __aexit__(self, *exception: object) -> None:
        self.__exit__()


def measured(region: _core.Region, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the function with its calls measured. The calls of an async function overlap, so they are spans."""
    if isinstance(function, (classmethod, staticmethod)):
        return type(function)(measured(region, function.__func__))
    if not callable(function):
        raise TypeError(f"a region takes nothing, or a function to decorate, not {function!r}")
    kinds = function, getattr(function, "__call__", None)  # of an object
    if any(map(inspect.iscoroutinefunction, kinds)):
        @functools.wraps(function)
        async def task(*args: Any, **keywords: Any) -> Any:
            with Span(region):
                return await function(*args, **keywords)
        return task
    if any(map(inspect.isgeneratorfunction, kinds)) or any(map(inspect.isasyncgenfunction, kinds)):
        name = getattr(function, "__name__", repr(function))
        raise TypeError(f"{name} is a generator: it runs in pieces, so measure what is inside of it")

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        with region:
            return function(*args, **keywords)
    return call
