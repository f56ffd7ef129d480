"""Who calls whom: the functions that main reaches, callees first, and those that must stay functions."""

from __future__ import annotations

from dataclasses import dataclass

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.occurrences import calls_of


@dataclass(frozen=True, slots=True)
class CallGraph:
    """`order`: the reached functions, callees before callers where no cycle forbids it. `sites`: how many calls of
    each there are. `breakers`: functions of which every cycle of calls has one, so that inlining all others ends."""

    order: tuple[str, ...]
    sites: dict[str, int]
    breakers: frozenset[str]


def call_graph(program: ir.Program) -> CallGraph:
    """The calls of a program, from main on."""
    calls: dict[str, dict[str, int]] = {}
    sites: dict[str, int] = {}
    pending = [program.main]
    while pending:
        key = pending.pop()
        if key in calls:
            continue
        calls[key] = calls_of(program.functions[key].body)
        for callee, count in calls[key].items():
            sites[callee] = sites.get(callee, 0) + count
        pending += calls[key]
    breakers: set[str] = set()
    order: list[str] = []
    for cycle in _components(list(calls), calls):
        order += _break(cycle, calls, program, breakers)
    return CallGraph(tuple(order), sites, frozenset(breakers))


def _break(cycle: list[str], calls: dict[str, dict[str, int]], program: ir.Program, breakers: set[str]) -> list[str]:
    """The functions of a strongly connected component, callees first once its breakers (noted here) are cut out."""
    if len(cycle) == 1:
        (key,) = cycle
        if key in calls[key]:
            breakers.add(key)
        return cycle
    inside = set(cycle)
    selves = [key for key in cycle if key in calls[key]]
    if selves:
        cut = set(selves)
    else:
        callers = {key: sum(key in calls[other] for other in cycle) for key in cycle}
        best = max(cycle, key=lambda key: (not program.functions[key].inline, callers[key], key == program.main))
        cut = {best}
    breakers |= cut
    inside -= cut
    order: list[str] = []
    for part in _components([key for key in cycle if key in inside], calls, inside):
        order += _break(part, {key: {c: 1 for c in calls[key] if c in inside} for key in part}, program, breakers)
    return order + [key for key in cycle if key in cut]


def _components(keys: list[str], calls: dict[str, dict[str, int]], inside: set[str] | None = None) -> list[list[str]]:
    """The strongly connected components of the calls (Tarjan), callees first."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[list[str]] = []
    for root in keys:
        if root in index:
            continue
        work = [(root, iter(calls[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            key, callees = work[-1]
            for callee in callees:
                if inside is not None and callee not in inside:
                    continue
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
