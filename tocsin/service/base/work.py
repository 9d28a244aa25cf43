"""Threads for the work of requests, shared fairly: each tenant runs a few at a time and has a short
queue, so that no tenant waits for the work of another.

Work ends early in `checkpoint` or within `bounded_work`, when its client has left or the service
stops.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any, ParamSpec, TypeVar

from tocsin.errors import LimitProblem, StateProblem

P = ParamSpec("P")
T = TypeVar("T")

MAX_THREADS = 64
"""Threads of one pool, shared by all tenants."""

_IDLE_SECONDS = 10.0
"""Seconds without work after which a thread ends."""

_LOOK_SECONDS = 0.02
"""Time between two looks at the processor time of bounded work."""

_LOADERS = ("importlib.", "_frozen_importlib", "numba.", "llvmlite.")
"""Modules that load or compile others."""

_thread = threading.local()


class WorkEnded(BaseException):
    """Raised in work whose result is not needed; not an Exception, as handlers of faults must let
    it pass.
    """


@dataclass(slots=True, eq=False)
class Job:
    """A call with its tenant and its outcome."""

    tenant: str
    call: Callable[[], Any]
    future: Future[Any] = field(default_factory=Future)
    is_ended: bool = False


@dataclass(slots=True)
class _Tenant:
    """The running and the queued work of one tenant."""

    running: int = 0
    waiting: deque[Job] = field(default_factory=deque)


class WorkPool:
    """Threads for the work of all tenants. Each tenant runs `at_once` calls and queues `waiting`
    more; further ones are refused. Threads are daemons: a service that stops does not wait for
    them.
    """

    def __init__(self, at_once: int, waiting: int, threads: int = MAX_THREADS) -> None:
        self._at_once, self._most_waiting, self._threads = at_once, waiting, threads
        self._tenants: dict[str, _Tenant] = {}
        self._turns: deque[str] = deque()
        self._ready: SimpleQueue[Job] = SimpleQueue()
        self._running: set[Job] = set()
        self._started = 0
        self._is_closed = False
        self._lock = threading.Lock()

    async def run(
        self,
        tenant: str,
        call: Callable[P, T],
        *args: P.args,
        **named: P.kwargs,
    ) -> T:
        """Return the result of a call in a thread. Raises LimitProblem if the tenant has too many
        calls under way. The work ends when the awaiting task is cancelled.
        """
        job = self._submit(Job(tenant, lambda: call(*args, **named)))
        try:
            found: T = await asyncio.wrap_future(job.future)
            return found
        except WorkEnded:
            raise _stopping() from None
        finally:
            self._end(job)

    def close(self) -> None:
        """End all work and refuse further calls."""
        with self._lock:
            self._is_closed = True
            jobs = [
                *self._running,
                *(job for each in self._tenants.values() for job in each.waiting),
            ]
        for job in jobs:
            self._end(job)

    def _submit(self, job: Job) -> Job:
        with self._lock:
            if self._is_closed:
                raise _stopping()
            tenant = self._tenants.setdefault(job.tenant, _Tenant())
            if tenant.running >= self._at_once and len(tenant.waiting) >= self._most_waiting:
                raise LimitProblem(
                    f"{tenant.running} requests of the tenant are at work, and"
                    f" {len(tenant.waiting)} wait",
                    code="RateLimitExceeded",
                    hint="wait for their answers",
                )
            tenant.waiting.append(job)
            if job.tenant not in self._turns:
                self._turns.append(job.tenant)
            self._dispatch()
        return job

    def _end(self, job: Job) -> None:
        """Make a job end soon; a queued one ends at once."""
        job.is_ended = True
        with self._lock:
            tenant = self._tenants.get(job.tenant)
            if tenant is not None and job in tenant.waiting:
                tenant.waiting.remove(job)
                self._forget_idle(job.tenant)
        job.future.cancel()

    def _dispatch(self) -> None:
        """Start queued jobs while threads are free, one tenant after the other."""
        for _ in range(len(self._turns)):
            if len(self._running) >= self._threads:
                return
            name = self._turns.popleft()
            tenant = self._tenants[name]
            while tenant.waiting and tenant.running < self._at_once:
                self._start(tenant.waiting.popleft(), tenant)
                if len(self._running) >= self._threads:
                    break
            if tenant.waiting:
                self._turns.append(name)

    def _start(self, job: Job, tenant: _Tenant) -> None:
        tenant.running += 1
        self._running.add(job)
        self._ready.put(job)
        if len(self._running) > self._started:
            self._started += 1
            threading.Thread(target=self._work, name="work", daemon=True).start()

    def _work(self) -> None:
        while True:
            try:
                job = self._ready.get(timeout=_IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if len(self._running) < self._started:
                        self._started -= 1
                        return
                continue
            _perform(job)
            self._finish(job)

    def _finish(self, job: Job) -> None:
        with self._lock:
            self._running.discard(job)
            self._tenants[job.tenant].running -= 1
            self._dispatch()
            self._forget_idle(job.tenant)

    def _forget_idle(self, name: str) -> None:
        tenant = self._tenants[name]
        if not tenant.running and not tenant.waiting:
            del self._tenants[name]
            if name in self._turns:
                self._turns.remove(name)


def _stopping() -> StateProblem:
    return StateProblem("the service stops", code="Stopping", hint="try again later")


def _perform(job: Job) -> None:
    if not job.future.set_running_or_notify_cancel():
        return
    _thread.job = job
    try:
        job.future.set_result(job.call())
    except BaseException as error:
        job.future.set_exception(error)
    finally:
        _thread.job = None


def checkpoint() -> None:
    """Raise WorkEnded if the result of this thread's work is not needed any longer."""
    job: Job | None = getattr(_thread, "job", None)
    if job is not None and job.is_ended:
        raise WorkEnded


class _OutOfTime(BaseException):
    """Raised in work that takes too long; not an Exception: handlers of faults must let it pass."""


def bounded_work(seconds: float, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
    """Return the result of a call, bounded in processor time and ended with its job.

    Raise LimitProblem where it takes too long. It is for code that knows nothing of this, without
    locks and databases: it ends anywhere but while modules are loaded, and within one call into C
    not at all.
    """
    watch = _Watch(seconds)
    try:
        try:
            watch.thread.start()
            return call(*args, **named)
        finally:
            try:
                watch.gate.release()  # the watch looks once more at most
            finally:
                watch.wait_until_done()
    except _OutOfTime:
        raise LimitProblem(
            f"the answer takes more than {seconds:g} s of processor time",
            code="TooMuchWork",
            hint="ask about a simpler subscription or a smaller event",
        ) from None


class _Watch:
    """Interrupts the thread that made it, again and again until `gate` is released: an interruption
    is lost where it meets a generator or an object that is being given up, so one is not enough.

    The thread leaves when the watch is done, so that nothing is interrupted behind its back.
    """

    def __init__(self, seconds: float) -> None:
        self.gate = threading.Lock()
        self.gate.acquire()
        self.thread = threading.Thread(target=self.run, name="watch", daemon=True)
        self._is_done = False
        self._thread = threading.get_ident()
        self._job: Job | None = getattr(_thread, "job", None)
        self._clock = _clock_of_this_thread()
        self._end = self._clock() + seconds

    def run(self) -> None:
        """Look at the clock and the job from time to time."""
        try:
            while not self.gate.acquire(timeout=_LOOK_SECONDS):
                self._look()
        finally:
            self._is_done = True

    def wait_until_done(self) -> None:
        """Wait for the watch; drop the interruption that it may have sent last."""
        while self.thread.ident is not None and not self._is_done:
            try:
                time.sleep(0.0001)
            except (_OutOfTime, WorkEnded):
                continue

    def _look(self) -> None:
        if self._job is not None and self._job.is_ended:
            error: type[BaseException] = WorkEnded
        elif self._clock() > self._end:
            error = _OutOfTime
        else:
            return
        if not _is_loading(sys._current_frames().get(self._thread)):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread), ctypes.py_object(error)
            )


def _clock_of_this_thread() -> Callable[[], float]:
    """Return the processor time of this thread, for any thread to ask; time itself where the
    system does not tell it.
    """
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    return partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))


def _is_loading(frame: FrameType | None) -> bool:
    """True if a module or compiled code is half loaded: it could not be used or loaded again."""
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith(_LOADERS):
            return True
        frame = frame.f_back
    return False
