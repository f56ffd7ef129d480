"""The native compiler: elaborated core -> IR -> simplified IR -> first-order IR -> owned IR -> C11 -> executable.

Each stage is a function from one program to the next, printable between any two (`bendml compile --emit`):

    types.py      what a type is at run time (`Rep`), and from a core type to its `Rep`
    ir.py         the IR of all stages, and its printer
    prims.py      the primitive operations: what they take, own and do
    lower.py      elaborated core, erased and specialised on types, to IR; entry.py begins at main
    shows.py      how the values of main's type are printed
    simplify.py   inlining, beta steps, matches on known constructors, dead code
    closures.py   lambdas to functions over their captured variables
    ownership.py  moves, duplications, drops and reuse of cells
    loops.py      self-tail-calls to loops; array accesses with a proved range
    emit.py       owned IR to C11
    runtime/      the C runtime: bend.h (objects, counting, arrays, arithmetic) and the effects
    compile.py    the front door: from a file to C, or to any stage before it
    build.py      from C to an executable, with zig.py and options.py
    make.py       from a file to an executable that is kept, in store.py
    start.py      running one in the foreground
"""
