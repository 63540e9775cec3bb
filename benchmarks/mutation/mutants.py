"""Mutants of a source file: one operator, constant or name of a function replaced by another."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

SPARED = frozenset({"get_state", "set_state", "from_state", "restored", "to_json", "from_json", "to_text"})
"""Functions that save, restore and print, which are not mutated."""

_OPERATORS: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_COMPARISONS: Mapping[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_CALLED = {"min": "max", "any": "all", "minimum": "maximum", "argmax": "argmin", "sinh": "tanh", "ceil": "floor"}
_CALLED |= {other: name for name, other in _CALLED.items()}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a source file.

    Attributes:
        number: Index among the file's mutants, from 0.
        line: Line of the change, from 1.
        change: The original code and its replacement.
        tree: The whole module with the change.
    """

    number: int
    line: int
    change: str
    tree: ast.Module


@dataclass(frozen=True, slots=True)
class _Name:
    """A typed parameter or an untyped variable, with the line of its first assignment."""

    name: str
    type: str
    line: int


@dataclass(frozen=True, slots=True)
class _Change:
    node: ast.expr | ast.stmt
    make: Callable[[], None]


def mutants(source: str) -> Iterator[Mutant]:
    """Yield all mutants of a source file, in the order of its lines.

    Annotations, docstrings, decorators, texts, raise statements with their checks, and functions that save, restore
    and print (``SPARED``) are not mutated.
    """
    for number in range(len(_changes(ast.parse(source)))):
        tree = ast.parse(source)
        change = _changes(tree)[number]
        before = ast.unparse(change.node)
        change.make()
        yield Mutant(number, change.node.lineno, f"{before}  ->  {ast.unparse(change.node)}", tree)


def _changes(tree: ast.Module) -> list[_Change]:
    found: list[_Change] = []
    _visit(tree, found, [], {})
    return sorted(found, key=lambda change: (change.node.lineno, change.node.col_offset))


def _visit(
    node: ast.AST, found: list[_Change], names: Sequence[_Name], attributes: Mapping[str, tuple[str, ...]]
) -> None:
    """Collect the changes of a node and its descendants.

    Args:
        node: Any node.
        found: List to which the changes are appended.
        names: Parameters and variables of the enclosing function.
        attributes: Attributes that the enclosing function reads, by the name of their object.
    """
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        if node.name in SPARED:
            return
        names, attributes = _names(node), _attributes(node)
    if isinstance(node, ast.expr | ast.stmt):
        found += _of(node, names, attributes)
    for child in _parts(node):
        _visit(child, found, names, attributes)


def _parts(node: ast.AST) -> list[ast.AST]:
    """Return the children of a node that may be mutated."""
    match node:
        case ast.Raise() | ast.Import() | ast.ImportFrom():
            return []
        case ast.If() if isinstance(node.body[-1], ast.Raise) and not node.orelse:
            return []
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]
        case ast.ClassDef():
            return [*node.body]
        case ast.AnnAssign():
            return [node.value] if node.value is not None else []
        case ast.Call(func=ast.Name(id=name), args=[_, checked, *_]) if name.startswith("check_"):
            return [checked]
        case ast.Call():
            # ``_of`` changes the names of called functions.
            inside = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            return [*inside, *node.args, *node.keywords]
        case _:
            return list(ast.iter_child_nodes(node))


def _of(node: ast.expr | ast.stmt, names: Sequence[_Name], attributes: Mapping[str, tuple[str, ...]]) -> list[_Change]:
    """Return the changes of one node, without its descendants."""
    match node:
        case ast.BinOp() | ast.AugAssign() if type(node.op) in _OPERATORS:
            return [_Change(node, partial(setattr, node, "op", _OPERATORS[type(node.op)]()))]
        case ast.Compare():
            return [
                _Change(node, partial(node.ops.__setitem__, place, other()))
                for place, op in enumerate(node.ops)
                for other in _COMPARISONS[type(op)]
            ]
        case ast.BoolOp():
            return [
                _Change(node, partial(setattr, node, "op", ast.Or() if isinstance(node.op, ast.And) else ast.And()))
            ]
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            return [_Change(node, partial(_bare, node))]
        case ast.Constant(value=bool(value)):
            return [_Change(node, partial(setattr, node, "value", not value))]
        case ast.Constant(value=int(value) | float(value)):
            return [_Change(node, partial(setattr, node, "value", value + 1))]
        case ast.Call(func=ast.Name(id="abs"), args=[_]):
            return [_Change(node, partial(setattr, node.func, "id", "float"))]
        case ast.Call(func=ast.Name() as called) if called.id in _CALLED:
            return [_Change(node, partial(setattr, called, "id", _CALLED[called.id]))]
        case ast.Call(func=ast.Attribute() as method) if method.attr in _CALLED:
            return [_Change(node, partial(setattr, method, "attr", _CALLED[method.attr]))]
        case ast.Name(ctx=ast.Load()):
            known = _alike(node, names)
            return [_Change(node, partial(setattr, node, "id", _next(known, node.id)))] if len(known) > 1 else []
        case ast.Attribute(value=ast.Name() as base, ctx=ast.Load()) if node.attr in attributes.get(base.id, ()):
            others = attributes[base.id]
            return [_Change(node, partial(setattr, node, "attr", _next(others, node.attr)))] if len(others) > 1 else []
        case _:
            return []


def _bare(node: ast.UnaryOp) -> None:
    """Remove a minus or a not: -x becomes +x, and not x becomes the truth of x."""
    if isinstance(node.op, ast.USub):
        node.op = ast.UAdd()
    else:
        node.operand = ast.UnaryOp(op=ast.Not(), operand=node.operand)
        ast.fix_missing_locations(node)


def _next(known: Sequence[str], name: str) -> str:
    return known[(known.index(name) + 1) % len(known)]


def _alike(node: ast.Name, names: Sequence[_Name]) -> list[str]:
    """Return the function's names that can replace a name: itself, and those of its type assigned before."""
    types = [one.type for one in names if one.name == node.id]
    return [one.name for one in names if one.type in types and (one.line < node.lineno or one.name == node.id)]


def _names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[_Name]:
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names = {
        one.arg: _Name(one.arg, ast.unparse(one.annotation) if one.annotation is not None else "", function.lineno)
        for one in given
        if one.arg not in ("self", "cls")
    }
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            earlier = names.get(node.id, _Name(node.id, "", node.lineno))
            names[node.id] = replace(earlier, line=min(earlier.line, node.lineno))
    return list(names.values())


def _attributes(function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, tuple[str, ...]]:
    """Return the attributes that a function reads and does not call, by the name of their object."""
    called = {id(node.func) for node in ast.walk(function) if isinstance(node, ast.Call)}
    read: dict[str, dict[str, None]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and id(node) not in called:
            read.setdefault(node.value.id, {})[node.attr] = None
    return {name: tuple(found) for name, found in read.items()}
