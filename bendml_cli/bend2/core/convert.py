"""Conversion: does one type fit another, are two terms equal (language.md, section 6; judging.md, "Conversion")."""

from __future__ import annotations

from enum import Enum

from bendml_cli.bend2.core.evaluate import Machine, literal_step
from bendml_cli.bend2.core.values import (
    VF32,
    VU32,
    Env,
    Thunk,
    VAbsurd,
    Value,
    VApp,
    VCtr,
    VData,
    VEq,
    VHole,
    VKind,
    VLam,
    VMatch,
    VMeet,
    VNat,
    VPi,
    VQuant,
    VQuantLit,
    VRef,
    VRefl,
    VRewrite,
    VStr,
    VVar,
    variable,
)


class Relation(Enum):
    """EQUAL compares exactly; FITS is the subsumption of kinds, residual datatypes and function types over them."""

    EQUAL = "equal"
    FITS = "fits"


_LITERALS = (VNat, VU32, VF32, VStr)
# Constructors whose last field makes long chains: they are followed by a loop. All others go through the memo.
_CHAINS = ("Con", "SCon", "Succ")
_FUNCTIONS = (VLam, VMatch, VAbsurd, VApp, VRef, VVar, VHole, VRewrite)


def fits(machine: Machine, left: Thunk, right: Thunk, depth: int) -> bool:
    """Does the type `left` fit where `right` is wanted?"""
    return _compare(machine, left, right, depth, Relation.FITS)


def equal(machine: Machine, left: Thunk, right: Thunk, depth: int) -> bool:
    """Are two terms equal?"""
    return _compare(machine, left, right, depth, Relation.EQUAL)


def _compare(machine: Machine, left: Thunk, right: Thunk, depth: int, relation: Relation) -> bool:
    """Once without unfolding any definition (so that calls of a diverging one can be equal), then with unfolding."""
    if _Comparison(machine, False).thunks(left, right, depth, relation):
        return True
    return _Comparison(machine, True).thunks(left, right, depth, relation)


class _Comparison:
    """One attempt. Pairs of shared thunks found equal are remembered, or the work would be exponential on shared
    graphs; the memo holds the thunks, so that their identities stay theirs."""

    def __init__(self, machine: Machine, unfolding: bool) -> None:
        self.machine = machine
        self.unfolding = unfolding
        self.known: dict[tuple[int, int, Relation], tuple[Thunk, Thunk]] = {}

    def thunks(self, left: Thunk, right: Thunk, depth: int, relation: Relation) -> bool:
        if left is right:
            return True
        key = (id(left), id(right), relation)
        if key in self.known:
            return True
        force = self.machine.force
        if not self.values(force(left, self.unfolding), force(right, self.unfolding), depth, relation):
            return False
        self.known[key] = (left, right)
        return True

    def all_equal(self, left: Env, right: Env, depth: int) -> bool:
        """Arguments from the left, each by EQUAL."""
        if len(left) != len(right):
            return False
        for at in range(len(left)):  # noqa: SIM110  (a generator would recurse on the C stack)
            if not self.thunks(left[at], right[at], depth, Relation.EQUAL):
                return False
        return True

    def values(self, left: Value, right: Value, depth: int, relation: Relation) -> bool:
        """Two evaluated terms: the same object, eta, a literal's step, then by shape."""
        self.machine.tick()
        while True:
            if left is right:
                return True
            if isinstance(left, VLam) or isinstance(right, VLam):
                return self._eta(left, right, depth, relation)
            if isinstance(left, _LITERALS):
                if isinstance(right, _LITERALS):
                    return _same_literal(left, right)
                if isinstance(right, VCtr):
                    left = literal_step(left)
            elif isinstance(right, _LITERALS) and isinstance(left, VCtr):
                right = literal_step(right)
            if not (isinstance(left, VCtr) and isinstance(right, VCtr)):
                return self._shape(left, right, depth, relation)
            # Constructors: all fields but the last here, the last by the loop (lists and numbers are long).
            if left.key != right.key or len(left.args) != len(right.args):
                return False
            if not left.args:
                return True
            if not self.all_equal(left.args[:-1], right.args[:-1], depth):
                return False
            pair = left.args[-1], right.args[-1]
            relation = Relation.EQUAL
            if pair[0] is pair[1] or (id(pair[0]), id(pair[1]), relation) in self.known:
                return True
            if left.key not in _CHAINS:
                return self.thunks(*pair, depth, relation)
            left = self.machine.force(pair[0], self.unfolding)
            right = self.machine.force(pair[1], self.unfolding)

    def _eta(self, left: Value, right: Value, depth: int, relation: Relation) -> bool:
        if not (isinstance(left, _FUNCTIONS) and isinstance(right, _FUNCTIONS)):
            return False
        fresh = (variable(depth),)
        apply = self.machine.apply
        return self.values(apply(left, fresh, self.unfolding), apply(right, fresh, self.unfolding), depth + 1, relation)

    def _shape(self, left: Value, right: Value, depth: int, relation: Relation) -> bool:
        match left, right:
            case VVar(), VVar():
                return left.level == right.level
            case VApp(), VApp():
                return (
                    len(left.args) == len(right.args)
                    and self._heads(left.head, right.head, depth)
                    and self.all_equal(left.args, right.args, depth)
                )
            case VRef(), VRef():
                return left.ref.key == right.ref.key or self._bare(left, right, depth)
            case VData(), VData():
                return (
                    left.key == right.key
                    and _removed_fit(left.removed, right.removed, relation)
                    and self.all_equal(left.args, right.args, depth)
                )
            case VPi(), VPi():
                if left.quantity != right.quantity:
                    return False
                if not self.thunks(right.domain, left.domain, depth, relation):
                    return False
                fresh = variable(depth)
                return self.thunks(left.codomain(fresh), right.codomain(fresh), depth + 1, relation)
            case VEq(), VEq():
                sides = (left.left, left.right, left.type), (right.left, right.right, right.type)
                return self.all_equal(*sides, depth)
            case VKind(), VKind():
                if relation is Relation.FITS:
                    return self._kind_fits(left.quantity, right.quantity, depth)
                return self.thunks(left.quantity, right.quantity, depth, Relation.EQUAL)
            case VMeet(), VMeet():
                return self.all_equal((left.left, left.right), (right.left, right.right), depth)
            case VQuantLit(), VQuantLit():
                return left.value == right.value
            case VMatch(), VMatch():
                if left.term.constructor != right.term.constructor:
                    return False
                for one, other in ((left.term.hit, right.term.hit), (left.term.miss, right.term.miss)):
                    arms = Thunk(one, left.env), Thunk(other, right.env)
                    if not self.thunks(*arms, depth, Relation.EQUAL):
                        return False
                return True
            case VRewrite(), VRewrite():
                if not self.thunks(left.evidence, right.evidence, depth, Relation.EQUAL):
                    return False
                fresh2 = (variable(depth), variable(depth + 1))
                motives = Thunk(left.term.motive, left.env + fresh2), Thunk(right.term.motive, right.env + fresh2)
                if not self.thunks(*motives, depth + 2, Relation.EQUAL):
                    return False
                bodies = Thunk(left.term.body, left.env), Thunk(right.term.body, right.env)
                return self.thunks(*bodies, depth, Relation.EQUAL)
            case (VRefl(), VRefl()) | (VQuant(), VQuant()) | (VAbsurd(), VAbsurd()):
                return True
            case VHole(), VHole():
                return left.name == right.name
        return False

    def _heads(self, left: Value, right: Value, depth: int) -> bool:
        """The heads of two spines of one length. A def without parameters that is stuck on an argument is kept by
        name, so against a lambda-match it is evaluated here."""
        if isinstance(left, VRef) and isinstance(right, VRef):
            return left.ref.key == right.ref.key
        if self.unfolding:
            left, right = self._parameterless(left), self._parameterless(right)
        return self._shape(left, right, depth, Relation.EQUAL)

    def _parameterless(self, head: Value) -> Value:
        if isinstance(head, VRef):
            body = self.machine.bodies.get(head.ref.key)
            if body is not None and body.arity == 0:
                return self.machine.whnf(head.ref, (), (), True)
        return head

    def _bare(self, left: VRef, right: VRef, depth: int) -> bool:
        """Two different bare defs: equal if they agree on fresh arguments, as many as the larger one names."""
        bodies = self.machine.bodies
        arities = [bodies[ref.key].arity if ref.key in bodies else 0 for ref in (left.ref, right.ref)]
        count = max(arities)
        if count == 0 or not self.unfolding:
            return False
        fresh = tuple([variable(depth + at) for at in range(count)])
        apply = self.machine.apply
        return self.values(apply(left, fresh), apply(right, fresh), depth + count, Relation.EQUAL)

    def _kind_fits(self, left: Thunk, right: Thunk, depth: int) -> bool:
        """Kind(g) fits Kind(h) when g is &2, or h is &0 or &1; a meet on the left needs both parts to fit, on the
        right one of them; else g equals h."""
        g, h = self.machine.force(left, self.unfolding), self.machine.force(right, self.unfolding)
        if isinstance(g, VQuantLit) and g.value == 2:
            return True
        if isinstance(h, VQuantLit) and h.value < 2:
            return True
        if isinstance(g, VMeet) and self._kind_fits(g.left, right, depth) and self._kind_fits(g.right, right, depth):
            return True
        if isinstance(h, VMeet) and (self._kind_fits(left, h.left, depth) or self._kind_fits(left, h.right, depth)):
            return True
        return self.values(g, h, depth, Relation.EQUAL)


def _same_literal(left: Value, right: Value) -> bool:
    match left, right:
        case VNat(), VNat():
            return left.value == right.value
        case VU32(), VU32():
            return left.value == right.value
        case VF32(), VF32():
            return left.bits == right.bits
        case VStr(), VStr():
            return left.codes[left.start :] == right.codes[right.start :]
    return False


def _removed_fit(left: tuple[str, ...], right: tuple[str, ...], relation: Relation) -> bool:
    if relation is Relation.EQUAL:
        return set(left) == set(right)
    return set(left) >= set(right)
