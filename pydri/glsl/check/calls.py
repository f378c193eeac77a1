# SPDX-License-Identifier: MIT
"""Function calls: which overload, what arguments (GLSL 1.20, 6.1), and what may be assigned to.

In: a name and checked arguments.  Out: `Call` or `BuiltinCall`, the latter folded where all
arguments are constant.
"""

from __future__ import annotations

from pydri.glsl.check.constructors import ConstructorChecker
from pydri.glsl.language import builtin_expansions as ex
from pydri.glsl.language import builtin_functions
from pydri.glsl.language.builtin_functions import Row, Signature
from pydri.glsl.language.fold import FOLDER, same_bits
from pydri.glsl.tree import (
    ERROR,
    BuiltinCall,
    Call,
    Constant,
    Element,
    Function,
    Member,
    Step,
    Swizzle,
    Value,
    Var,
    VarRef,
)
from pydri.nir.types import Type


def _fold_special(row: Row, args: list[Value]) -> Constant | None:
    """Matrix functions, which the folder of vectors does not know, derivatives, which are 0, and
    what changes the type alone."""
    name, x = row.name, args[0].constant or ()
    if name in ("dFdx", "dFdy", "fwidth"):
        return (0.0,) * len(x)
    if "BitsTo" in name:
        return tuple(same_bits(n, row.special) for n in x)
    if name == "matrixCompMult":
        return FOLDER.alu("fmul", x, args[1].constant or ())
    if name == "transpose":
        rows = args[0].type.rows
        return tuple(x[c * rows + r] for r in range(rows) for c in range(args[0].type.columns))
    if name == "outerProduct":
        return tuple(p for y in args[1].constant or () for p in FOLDER.alu("fmul", x, y))
    if name in ("determinant", "inverse"):
        rows = args[0].type.rows
        parts = [[(n,) for n in x[c : c + rows]] for c in range(0, len(x), rows)]
        if name == "determinant":
            found: Constant = ex.determinant(FOLDER, parts)
            return found
        columns, scale = ex.inverse(FOLDER, parts)
        return tuple(n for column in columns for part in column for n in FOLDER.fmul(part, scale))
    return None


class CallChecker(ConstructorChecker):
    """Constructors, and calls."""

    # ---- l-values -------------------------------------------------------------------------
    def assignable(self, value: Value, what: str) -> bool:
        """May this be written? If not, say so, in the words of `what`: `assignment to {}`."""
        inner = value
        while isinstance(inner, (Swizzle, Member, Element)):
            if isinstance(inner, Swizzle) and len(set(inner.picks)) < len(inner.picks):
                self.error(value.at, "non-lvalue in assignment: a component twice")
                return False
            inner = inner.base
        if inner.type is ERROR:
            return False
        if isinstance(inner, Step):
            order = "post" if inner.post else "pre"
            step = "increment" if inner.by > 0 else "decrement"
            self.error(value.at, what.format(f"{order}-{step} operation"))
            return False
        if not isinstance(inner, VarRef):
            self.error(value.at, "non-lvalue in assignment")
            return False
        if inner.var.read_only:
            self.error(value.at, what.format(f"read-only variable '{inner.var.name}'"))
            return False
        inner.var.assigned = True
        return True

    # ---- overloads ------------------------------------------------------------------------
    def call(self, at: int, name: str, args: list[Value]) -> Value:
        """A call by name."""
        own = self.functions.get(name)
        meaning = self.find(name) if self.one_namespace else None
        if meaning is not None:
            return self.error(at, f"`{name}' is not a function here")
        if own is not None:
            return self._own(at, name, own, args)
        candidates = builtin_functions.signatures(name, self.language, self.stage.name)
        if not candidates:
            return self.error(at, f"no function with name '{name}'")
        if any(a.type is ERROR for a in args):
            return Value(at, ERROR)
        types = tuple(a.type for a in args)
        exact = [s for s in candidates if s.parameters == types]
        found = exact or [s for s in candidates if self._fits(types, s)]
        if len(found) != 1:
            return self._no_match(at, name, types, candidates, bool(found))
        return self._builtin_call(at, found[0], args)

    def _fits(self, arguments: tuple[Type, ...], signature: Signature) -> bool:
        # What is written has no type that another one converts to: floats.
        parameters, outputs = signature.parameters, signature.row.outputs
        return len(arguments) == len(parameters) and all(
            a is p if n in outputs else self.can_convert(a, p)
            for n, (a, p) in enumerate(zip(arguments, parameters)))

    def _no_match(
        self, at: int, name: str, arguments: tuple[Type, ...],
        candidates: list[Signature] | list[Function], several: bool,
    ) -> Value:  # fmt: skip
        which = "ambiguous overloads in" if several else "no matching function for"
        arguments_text = ", ".join(map(str, arguments))
        self.error(at, f"{which} call to `{name}({arguments_text})'; candidates are:")
        for candidate in candidates[:20]:
            self.log.error_line(at, f"   {candidate}")
        return Value(at, ERROR)

    def _builtin_call(self, at: int, signature: Signature, args: list[Value]) -> Value:
        made = [self.converted(a, p) or a for a, p in zip(args, signature.parameters)]
        self._check_offset(at, signature, made)
        constant: Constant | None = None
        row = signature.row
        for n in row.outputs:
            self.assignable(made[n], f"parameter {n + 1} of `{row.name}' references a {{}}")
        if (
            made and row.foldable and not row.outputs and self.language.has("const_builtin_calls")
            and all(a.constant is not None for a in made)
        ):  # fmt: skip
            if row.expand is not None:
                constant = row.expand(FOLDER, *(a.constant for a in made))
                # A result such as cross's is as wide as its type; a scalar may stand for all.
                if len(constant or ()) == 1:
                    constant = (constant or ())[:1] * signature.result.components
            elif row.special:
                constant = _fold_special(row, made)
        if row.name == "ftransform":
            self._touch("gl_Vertex", "gl_ModelViewProjectionMatrix")
        return BuiltinCall(at, signature, made, constant)

    def _check_offset(self, at: int, signature: Signature, args: list[Value]) -> None:
        """Offsets in texels are constant (EXT_gpu_shader4)."""
        lookup = signature.row.lookup
        if lookup is not None and lookup.offset and args[lookup.offset].constant is None:
            self.error(at, "parameter `in offset' must be a constant expression")

    def _touch(self, *names: str) -> None:
        for name in names:
            found = self.find(name)
            if isinstance(found, Var):
                found.used = True

    def _own(
        self, at: int, name: str, candidates: dict[tuple[Type, ...], Function], args: list[Value]
    ) -> Value:
        """A call of a function of the shader."""
        if any(a.type is ERROR for a in args):
            return Value(at, ERROR)
        types = tuple(a.type for a in args)
        exact = candidates.get(types)
        found = [exact] if exact else [f for f in candidates.values() if self._own_fits(types, f)]
        if len(found) != 1:
            return self._no_match(at, name, types, list(candidates.values()), bool(found))
        function = found[0]
        made: list[Value] = []
        for arg, parameter in zip(args, function.parameters):
            if parameter.mode in ("out", "inout"):
                where = f"function parameter '{parameter.mode} {parameter.name}' references a {{}}"
                if isinstance(arg, (VarRef, Swizzle, Member, Element, Step)):
                    self.assignable(arg, where)
                elif arg.type is not ERROR:
                    self.error(arg.at, f"function parameter '{parameter.mode} {parameter.name}' "
                               "is not an lvalue")
                made.append(arg)
            else:
                made.append(self.converted(arg, parameter.type) or arg)
        if self.current is not None:
            self.current.calls[function] = None
        else:
            self.initializer_calls[function] = None
        return Call(at, function, made)

    def _own_fits(self, arguments: tuple[Type, ...], function: Function) -> bool:
        if len(arguments) != len(function.parameters):
            return False
        for argument, parameter in zip(arguments, function.parameters):
            if parameter.mode == "out":
                fits = self.can_convert(parameter.type, argument)
            elif parameter.mode == "inout":
                fits = parameter.type is argument
            else:
                fits = self.can_convert(argument, parameter.type)
            if not fits:
                return False
        return True
