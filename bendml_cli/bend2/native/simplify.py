"""From lowered IR to simpler IR: a few rounds over the functions that main reaches, callees first."""

from __future__ import annotations

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.callgraph import CallGraph, call_graph, pure_functions
from bendml_cli.bend2.native.occurrences import Uses, settle, survey
from bendml_cli.bend2.native.rewrite import Callee, Rewriter
from bendml_cli.bend2.native.sink import sink

MOST_ROUNDS = 5


def simplify(program: ir.Program, names: ir.Names) -> ir.Program:
    """The same program, with known calls inlined, known lambdas applied, known constructors not made, and what nobody
    uses left out. `names` gives variables that are new to the program."""
    state = _State(program, names)
    for _ in range(MOST_ROUNDS):
        if not state.round():
            break
    for fun in state.functions.values():
        fun.body = sink(fun.body, names, state.uses.pure)
    return ir.Program(state.functions, program.main, program.main_is_io, program.shows)


class _State:
    """The functions between two rounds, those that main reaches, and what is known of them."""

    def __init__(self, program: ir.Program, names: ir.Names) -> None:
        self.main = program.main
        self.names = names
        self.uses = Uses()
        self.functions = dict(program.functions)
        self._surveys = {key: survey(fun.body, self.uses) for key, fun in self.functions.items()}
        self._graph = self._reach()
        self._stale = set(self.functions)

    def round(self) -> bool:
        """Rewrite the functions that the last round changed (at first all). Did this one change any?"""
        callees = {key: self._callee(key) for key in self._graph.order}
        changed: set[str] = set()
        for key in self._graph.order:
            if key in self._stale:
                rewriter = Rewriter(callees, self.uses, self.names)
                fun = rewriter.function(self.functions[key])
                fun.body = settle(fun.body, self.uses)
                self.functions[key] = fun
                self._surveys[key] = survey(fun.body)
                callees[key] = self._callee(key)
                if rewriter.changes:
                    changed.add(key)
        self._graph = self._reach()
        self._stale = changed & self.functions.keys()
        return bool(self._stale)

    def _callee(self, key: str) -> Callee:
        may_inline = key not in self._graph.breakers
        return Callee(self.functions[key], self._surveys[key].size, self._graph.sites.get(key, 0), may_inline)

    def _reach(self) -> CallGraph:
        """The calls as they are now; functions that main does not reach are dropped."""
        graph = call_graph(self.main, {key: each.calls for key, each in self._surveys.items()})
        self.functions = {key: self.functions[key] for key in graph.order}
        self._surveys = {key: self._surveys[key] for key in graph.order}
        calls = {key: each.calls for key, each in self._surveys.items()}
        self.uses.pure = pure_functions(calls, [key for key, each in self._surveys.items() if each.has_effects])
        return graph
