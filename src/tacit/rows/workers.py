"""Threads for lanes: one BLAS thread each, answers handed back in order."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any, TypeVar

import scipy.linalg.blas  # noqa: F401  loads scipy's own BLAS, so that the controller below finds it
from threadpoolctl import ThreadpoolController

Task = TypeVar("Task")
Answer = TypeVar("Answer")


def thread_count() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(work: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[Answer]:
    """work(task) for every task, in parallel, yielded in the order of the tasks.

    `work` must not call `in_order` itself: it would wait for a thread of the pool it occupies.
    """
    threads = min(thread_count(), len(tasks))
    with _one_blas_thread():
        if threads == 1:
            yield from map(work, tasks)
        else:
            yield from _pool(thread_count(), os.getpid()).map(work, tasks)


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """One pool per process: threads do not survive a fork, and starting them costs more than a small total."""
    return ThreadPoolExecutor(threads, thread_name_prefix=f"tacit-rows-{process}")


@cache
def _blas() -> Any:
    return ThreadpoolController()


_entering = threading.Lock()
_inside: list[Any] = []


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """BLAS thread counts are global: the first total to enter lowers them, the last to leave restores them."""
    with _entering:
        limiter = _inside[0] if _inside else _blas().limit(limits=1, user_api="blas")
        _inside.append(limiter)
    try:
        yield
    finally:
        with _entering:
            _inside.pop()
            if not _inside:
                limiter.restore_original_limits()
