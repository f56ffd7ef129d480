"""Who calls whom: the functions that main reaches, callees first; those that must stay functions; the pure ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

Calls = Mapping[str, Collection[str]]


@dataclass(frozen=True, slots=True)
class CallGraph:
    """`order`: the reached functions, callees before callers where no cycle forbids it. `sites`: how many calls of
    each there are. `breakers`: functions of which every cycle of calls has one, so that inlining all others ends."""

    order: tuple[str, ...]
    sites: dict[str, int]
    breakers: frozenset[str]


def call_graph(main: str, counts: Mapping[str, Mapping[str, int]]) -> CallGraph:
    """The calls of a program, from main on. `counts` says which functions each one calls, and how often."""
    calls: dict[str, Mapping[str, int]] = {}
    sites: dict[str, int] = {}
    pending = [main]
    while pending:
        key = pending.pop()
        if key in calls:
            continue
        calls[key] = counts[key]
        for callee, count in calls[key].items():
            sites[callee] = sites.get(callee, 0) + count
        pending += calls[key]
    breakers: set[str] = set()
    order: list[str] = []
    for cycle in components(calls):
        order += _break(cycle, calls, breakers)
    return CallGraph(tuple(order), sites, frozenset(breakers))


def pure_functions(calls: Calls, effectful: Iterable[str]) -> frozenset[str]:
    """The functions that call none of the effectful ones, at any distance."""
    callers: dict[str, list[str]] = {}
    for key, callees in calls.items():
        for callee in callees:
            callers.setdefault(callee, []).append(key)
    reached = set(effectful)
    pending = list(reached)
    while pending:
        for key in callers.get(pending.pop(), ()):
            if key not in reached:
                reached.add(key)
                pending.append(key)
    return frozenset(calls.keys() - reached)


def _break(cycle: list[str], calls: Calls, breakers: set[str]) -> list[str]:
    """The functions of a strongly connected component, callees first once its breakers (noted here) are cut out."""
    cut = {key for key in cycle if key in calls[key]}
    if not cut and len(cycle) > 1:
        callers = {key: sum(key in calls[other] for other in cycle) for key in cycle}
        cut = {max(cycle, key=callers.__getitem__)}
    breakers |= cut
    if len(cycle) == 1:
        return cycle
    left = [key for key in cycle if key not in cut]
    inner = {key: [callee for callee in calls[key] if callee in left] for key in left}
    order: list[str] = []
    for part in components(inner):
        order += _break(part, inner, breakers)
    return order + [key for key in cycle if key in cut]


def components(calls: Calls) -> list[list[str]]:
    """The strongly connected components of the calls (Tarjan's algorithm), callees first. Every callee is a key."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in calls:
        if root in index:
            continue
        work = [(root, iter(calls[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            key, callees = work[-1]
            for callee in callees:
                if callee not in index:
                    index[callee] = low[callee] = len(index)
                    stack.append(callee)
                    on_stack.add(callee)
                    work.append((callee, iter(calls[callee])))
                    break
                if callee in on_stack:
                    low[key] = min(low[key], index[callee])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[key])
                if low[key] == index[key]:
                    component: list[str] = []
                    while not component or component[-1] != key:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    found.append(component[::-1])
    return found
