"""What is known of the variables that simplifying has written, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass

from bendml_cli.bend2.native import ir
from bendml_cli.bend2.native.types import NAT, U32, UNIT, Any, Boxed, Char, Enum, Record, Rep, Unit, is_word

UNIT_CONST = ir.Const(0, UNIT)


@dataclass(slots=True, eq=False)
class Excluded:
    """A variable is none of these constructors."""

    tags: frozenset[int]


Fact = ir.Expr | ir.Const | Excluded


class Facts:
    """For each variable the operation that it stands for; inside an arm, the constructor of the matched variable (as a
    Construct of the arm's fields, or a Const), and in a default those that it is not."""

    def __init__(self) -> None:
        self.known: dict[ir.Var, Fact] = {}
        self._trail: list[tuple[ir.Var, Fact | None]] = []
        self._wholes: dict[ir.Var, ir.Var] = {}
        self._words: dict[ir.Var, ir.Atom] = {}

    def mark(self) -> int:
        """A point to forget back to."""
        return len(self._trail)

    def learn(self, var: ir.Var, fact: Fact) -> None:
        """Something holds of a variable from here on, until it is forgotten."""
        self._trail.append((var, self.known.get(var)))
        self.known[var] = fact

    def forget(self, mark: int) -> None:
        """What was known at the mark is what is known."""
        while len(self._trail) > mark:
            var, fact = self._trail.pop()
            if fact is None:
                del self.known[var]
            else:
                self.known[var] = fact

    def enter(self, scrutinee: ir.Var, arm: ir.Arm) -> None:
        """Inside the arm, the matched variable is its constructor over its fields."""
        if arm.fields:
            match self.known.get(scrutinee):
                case ir.Prim("u32_to_word", (number,)):
                    self._words[scrutinee] = number
            self.learn(scrutinee, ir.Construct(arm.constructor, arm.tag, arm.fields, scrutinee.rep))
            self._wholes.update(dict.fromkeys(arm.fields, scrutinee))
        elif not isinstance(scrutinee.rep, Any | Record):
            self.learn(scrutinee, ir.Const(arm.tag, scrutinee.rep))

    def value(self, var: ir.Var) -> ir.Atom:
        """The constant that a variable is, where that is known, else the variable."""
        if isinstance(var.rep, Unit):
            return UNIT_CONST
        fact = self.known.get(var)
        return fact if isinstance(fact, ir.Const) else var

    def excluded(self, var: ir.Var) -> frozenset[int]:
        """The constructors that a variable is not."""
        fact = self.known.get(var)
        return fact.tags if isinstance(fact, Excluded) else frozenset()

    def constructor(self, atom: ir.Atom) -> tuple[int, tuple[ir.Atom, ...]] | None:
        """The tag and the fields of an atom of known constructor."""
        fact = atom if isinstance(atom, ir.Const) else self.known.get(atom)
        match fact:
            case ir.Const(value, rep) if rep == NAT:
                return (1, (ir.Const(value - 1, NAT),)) if value else (0, ())
            case ir.Const(value):
                return value, ()
            case ir.Construct(_, tag, args):
                return tag, args
            case ir.Prim("nat_succ", (pred,)):
                return 1, (pred,)
        return None

    def is_constructor(self, atom: ir.Atom) -> bool:
        """Is the constructor of the atom known?"""
        return self.constructor(atom) is not None

    def whole(self, made: ir.Construct) -> ir.Var | None:
        """The matched variable whose constructor and fields, as far as they are known, are those of a new value."""
        whole = next((self._wholes[arg] for arg in made.args if isinstance(arg, ir.Var) and arg in self._wholes), None)
        if whole is not None and whole.rep == made.rep:
            match self.known.get(whole):
                case ir.Construct(_, tag, fields) if tag == made.tag and tuple(self._values(fields)) == made.args:
                    return whole
        return None

    def _values(self, atoms: tuple[ir.Atom, ...]) -> list[ir.Atom]:
        return [self.value(atom) if isinstance(atom, ir.Var) else atom for atom in atoms]

    def number(self, word: ir.Atom) -> ir.Atom | None:
        """The number whose bits a matched word is."""
        return self._words.get(word) if isinstance(word, ir.Var) else None

    def successor(self, pred: ir.Atom) -> ir.Var | None:
        """The matched Nat whose predecessor this is."""
        whole = self._wholes.get(pred) if isinstance(pred, ir.Var) else None
        return whole if whole is not None and whole.rep == NAT else None

    def root(self, atom: ir.Atom) -> tuple[ir.Atom, bool]:
        """What a match of the atom can look at instead, and whether as a Bool that is its opposite."""
        flips = False
        while isinstance(atom, ir.Var):
            match self.known.get(atom):
                case ir.Coerce(inner) if isinstance(atom.rep, Any) and isinstance(inner.rep, Boxed | Enum | Record):
                    atom = inner
                case ir.Prim("bool_not", (inner,)):
                    atom = inner
                    flips = not flips
                case _:
                    break
        return atom, flips

    def coerce(self, atom: ir.Atom, rep: Rep) -> ir.Expr:
        """The coercion, less those that cancel each other."""
        if isinstance(rep, Unit):
            return ir.Value(UNIT_CONST)
        if atom.rep == rep:
            return ir.Value(atom)
        if isinstance(atom, ir.Const):
            same_form = (isinstance(atom.rep, Boxed) and isinstance(rep, Boxed)) or (
                isinstance(atom.rep, U32 | Char) and isinstance(rep, U32 | Char)
            )
            return ir.Value(ir.Const(atom.value, rep)) if same_form else ir.Coerce(atom, rep)
        inner = self.known.get(atom)
        if isinstance(inner, ir.Coerce):
            if inner.atom.rep == rep:
                return ir.Value(inner.atom)
            if is_word(inner.atom.rep) and is_word(atom.rep) and is_word(rep):
                return ir.Coerce(inner.atom, rep)
        return ir.Coerce(atom, rep)

    def as_slot(self, atom: ir.Atom) -> ir.Atom:
        """The atom for a slot, with no coercion of what a slot takes as it is."""
        if isinstance(atom, ir.Var) and isinstance(atom.rep, Any):
            match self.known.get(atom):
                case ir.Coerce(inner) if not isinstance(inner.rep, Record):
                    return inner
        return atom
