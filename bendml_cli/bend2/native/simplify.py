"""From lowered IR to simpler IR: a few rounds over the functions that main reaches, callees first."""

from __future__ import annotations

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.callgraph import call_graph
from bendml_cli.bend2.native.occurrences import Uses, note_all, settle, size_of
from bendml_cli.bend2.native.rewrite import Callee, Rewriter
from bendml_cli.bend2.native.sink import sink

MOST_ROUNDS = 5


def simplify(program: ir.Program, names: ir.Names) -> ir.Program:
    """The same program, with known calls inlined, known lambdas applied, known constructors not made, and what nobody
    uses left out. `names` gives variables that are new to the program."""
    uses = Uses()
    functions = dict(program.functions)
    for fun in functions.values():
        note_all(fun.body, uses)
    stale: set[str] | None = None
    for _ in range(MOST_ROUNDS):
        program = ir.Program(functions, program.main, program.main_is_io, program.shows)
        stale = _round(program, names, uses, stale)
        if not stale:
            break
    for fun in program.functions.values():
        fun.body = sink(fun.body, names)
    return program


def _round(program: ir.Program, names: ir.Names, uses: Uses, stale: set[str] | None) -> set[str]:
    """Rewrite the functions of the program that are `stale` (None: all), and drop those that main does not reach.

    Those that changed, so that another round may find more.
    """
    graph = call_graph(program)
    functions = program.functions
    callees = {
        key: Callee(functions[key], size_of(functions[key].body), graph.sites.get(key, 0), key not in graph.breakers)
        for key in graph.order
    }
    changed: set[str] = set()
    for key in graph.order:
        if stale is not None and key not in stale:
            continue
        rewriter = Rewriter(callees, uses, names)
        fun = rewriter.function(functions[key])
        fun.body = settle(fun.body, uses)
        functions[key] = callees[key].fun = fun
        callees[key].size = size_of(fun.body)
        if rewriter.changes:
            changed.add(key)
    reached = call_graph(program).order
    for key in functions.keys() - set(reached):
        del functions[key]
    return changed & functions.keys()
