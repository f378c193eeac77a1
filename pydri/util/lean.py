# SPDX-License-Identifier: MIT
"""What our modules want of `threading`, `functools`, `contextlib` and `bisect`, without these.

In: nothing. Out: the same names with the same meaning; those that are not here are taken from the
module that has them, when they are asked for. The first three, and `collections` that they import,
are 2 ms of a start, of which it needs a lock, a cache and a `with`; the last one is a library to be
loaded, for a loop of five lines. Nobody imports this module by its name: libgl_shim/slim.py puts it
in their place when it makes the start image.
"""

from _functools import (  # type: ignore[import-not-found]
    _lru_cache_wrapper,
    partial,
    reduce,
)
from _thread import TIMEOUT_MAX, RLock, get_ident, get_native_id
from _thread import _local as local
from _thread import allocate_lock as Lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

#: whom it stands for
MODULES = ("threading", "functools", "contextlib", "bisect")


def __getattr__(name: str) -> "Any":
    for module in MODULES if not name.startswith("__") else ():
        try:
            return getattr(__import__(module), name)
        except AttributeError:
            continue
    raise AttributeError(f"none of {', '.join(MODULES)} has {name!r}")


# -- functools -------------------------------------------------------------------------------------


def wraps(wrapped: "Any") -> "Callable[[Any], Any]":
    """A decorator that gives a function the name of the one that it stands for."""

    def named(wrapper: "Any") -> "Any":
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            if hasattr(wrapped, name):
                setattr(wrapper, name, getattr(wrapped, name))
        wrapper.__dict__.update(getattr(wrapped, "__dict__", {}))
        wrapper.__wrapped__ = wrapped
        return wrapper

    return named


def _told(*row: int) -> tuple[int, ...]:
    """What `cache_info` answers."""
    return row


def lru_cache(maxsize: "Any" = 128, typed: bool = False) -> "Any":
    """A decorator: results are kept, so many of them, or all (None)."""
    if callable(maxsize):  # it is the decorator itself
        return lru_cache()(maxsize)

    def kept(function: "Any") -> "Any":
        return wraps(function)(_lru_cache_wrapper(function, maxsize, typed, _told))

    return kept


cache = lru_cache(None)


class cached_property:
    """A method that is called once; what it gives is an attribute of the instance from then on."""

    def __init__(self, function: "Callable[[Any], Any]") -> None:
        self.function = function

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: "Any", owner: "type | None" = None) -> "Any":
        if instance is None:
            return self
        made = instance.__dict__[self.name] = self.function(instance)
        return made


# -- contextlib ------------------------------------------------------------------------------------


class _Managed:
    """A `with` whose two ends are a generator's."""

    __slots__ = ("_generator",)

    def __init__(self, generator: "Generator[Any, None, None]") -> None:
        self._generator = generator

    def __enter__(self) -> "Any":
        for value in self._generator:
            return value
        raise RuntimeError("generator didn't yield")

    def __exit__(self, kind: "Any", value: "Any", trace: "Any") -> bool:
        if kind is None:
            for _ in self._generator:
                raise RuntimeError("generator didn't stop")
            return False
        value = kind() if value is None else value
        try:
            self._generator.throw(value)
        except StopIteration as stop:
            return stop is not value
        except BaseException as error:
            # a StopIteration that is thrown comes back as the cause of another exception
            cause = error.__cause__ if isinstance(value, StopIteration) else error
            if cause is not value:
                raise
            error.__traceback__ = trace
            return False
        raise RuntimeError("generator didn't stop after throw()")


def contextmanager(function: "Any") -> "Any":
    """A function that gives a generator, as one that gives a `with`."""

    @wraps(function)
    def managed(*arguments: "Any", **named: "Any") -> _Managed:
        return _Managed(function(*arguments, **named))

    return managed


class suppress:
    """A `with` that ends where one of these exceptions is raised, and says nothing."""

    __slots__ = ("_kinds",)

    def __init__(self, *kinds: type[BaseException]) -> None:
        self._kinds = kinds

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: "Any", value: "Any", trace: "Any") -> bool:
        return kind is not None and issubclass(kind, self._kinds)


# -- bisect ----------------------------------------------------------------------------------------


def bisect_left(a: "Sequence[Any]", x: "Any", lo: int = 0, hi: int | None = None) -> int:
    """Where something belongs in a sorted sequence, before what is equal."""
    hi = len(a) if hi is None else hi
    while lo < hi:
        middle = (lo + hi) // 2
        if a[middle] < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


__all__ = [
    "Lock", "MODULES", "RLock", "TIMEOUT_MAX", "bisect_left", "cache", "cached_property",
    "contextmanager", "get_ident", "get_native_id", "local", "lru_cache", "partial", "reduce",
    "suppress", "wraps",
]  # fmt: skip
