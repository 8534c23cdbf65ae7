# SPDX-License-Identifier: MIT
"""Loops and conditions on tensors in functions that are traced: `for`, `while` and `if` become calls (autograph_calls.py)
that are Python's own when no tensor is involved. A statement with break, continue or return in it stays as it is, except an
`if` whose branches both end in return. `calls` is autograph_calls; names that a statement assigns go in and out of its
functions.

    if x > 0:
        y = x
becomes
    y = calls.value_or_none(lambda: y)
    def __ag1(y):
        y = x
        return (y,)
    def __ag2(y):
        return (y,)
    (y,) = calls.if_statement(x > 0, __ag1, __ag2, (y,))

    if x > 0:
        return x
    return -x
becomes
    def __ag1():
        return x
    def __ag2():
        return -x
    return calls.if_expression(x > 0, calls.bound(__ag1, ()), calls.bound(__ag2, ()))

    while x < 9:
        x = x * 2
becomes
    x = calls.value_or_none(lambda: x)
    def __ag1(x):
        return x < 9
    def __ag2(x):
        x = x * 2
        return (x,)
    (x,) = calls.while_statement(__ag1, __ag2, (x,))

    for row in rows:
        total = total + row
becomes
    total = calls.value_or_none(lambda: total)
    row = calls.value_or_none(lambda: row)
    def __ag1(__ag2, total, row):
        row = __ag2
        total = total + row
        return (total, row)
    (total, row) = calls.for_statement(rows, __ag1, (total, row))
"""
import ast
import inspect
import textwrap
import types

from tensorflow.ops import autograph_calls

_CALLS = "__openipu_autograph"


def converted(function):
    """The function rewritten, or itself where there is nothing to do or its text is not to be had."""
    if isinstance(function, types.MethodType):
        return types.MethodType(converted(function.__func__), function.__self__)
    if not isinstance(function, types.FunctionType) or hasattr(function, "__wrapped__"):
        return function
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return function
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return function
    rewriter = _Rewriter()
    definition.decorator_list = []
    definition.body = rewriter.block(definition.body)
    if not rewriter.changed:
        return function
    return _compiled(function, definition)


def _compiled(function, definition):
    free = function.__code__.co_freevars
    factory = ast.FunctionDef(name="__factory", args=_arguments(free), decorator_list=[], returns=None, type_params=[],
                              body=[definition, ast.Return(ast.Name(definition.name, ast.Load()))])
    module = ast.fix_missing_locations(ast.Module([factory], []))
    scope = {}
    exec(compile(module, function.__code__.co_filename, "exec"), {}, scope)
    code = next(c for c in scope["__factory"].__code__.co_consts if isinstance(c, types.CodeType))
    cells = dict(zip(free, function.__closure__ or ()))
    function.__globals__.setdefault(_CALLS, autograph_calls)
    out = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__,
                             tuple(cells[name] for name in code.co_freevars))
    out.__kwdefaults__ = function.__kwdefaults__
    return out


def _arguments(names):
    return ast.arguments(posonlyargs=[], args=[ast.arg(n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[])


class _Assigned(ast.NodeVisitor):
    """Names that statements assign, without those of functions in them."""

    def __init__(self):
        self.names = []

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store) and node.id not in self.names:
            self.names.append(node.id)

    def visit_FunctionDef(self, node):
        pass

    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ClassDef = visit_FunctionDef


def _names(statements):
    found = _Assigned()
    for s in statements:
        found.visit(s)
    return [n for n in found.names if not n.startswith("__ag")]


class _Jumps(ast.NodeVisitor):
    """Whether statements leave the block: return anywhere, break and continue of the block itself."""

    def __init__(self):
        self.found = False
        self._inner = 0

    def visit_Return(self, node):
        self.found = True

    visit_Yield = visit_YieldFrom = visit_Return

    def visit_Break(self, node):
        self.found |= self._inner == 0

    visit_Continue = visit_Break

    def visit_For(self, node):
        self._inner += 1
        self.generic_visit(node)
        self._inner -= 1

    visit_While = visit_For

    def visit_FunctionDef(self, node):
        pass

    visit_Lambda = visit_FunctionDef


def _jumps(statements):
    found = _Jumps()
    for s in statements:
        found.visit(s)
    return found.found


class _Rewriter:
    def __init__(self):
        self.changed, self._count = False, 0

    def block(self, statements):
        out = []
        for i, s in enumerate(statements):
            if isinstance(s, ast.If) and self._both_return(s, statements[i + 1:]):
                out += self._returning_if(s, statements[i + 1:])
                return out
            out += self._statement(s)
        return out

    @staticmethod
    def _both_return(s, rest):
        other = s.orelse or rest
        return bool(other) and isinstance(s.body[-1], ast.Return) and isinstance(other[-1], ast.Return) and \
            not _jumps(s.body[:-1]) and not _jumps(other[:-1])

    def _statement(self, s):
        for field in ("body", "orelse", "finalbody"):
            if hasattr(s, field) and not isinstance(s, (ast.FunctionDef, ast.ClassDef)):
                setattr(s, field, self.block(getattr(s, field)))
        if isinstance(s, ast.If) and not _jumps(s.body) and not _jumps(s.orelse):
            return self._if(s)
        if isinstance(s, ast.While) and not s.orelse and not _jumps(s.body):
            return self._while(s)
        if isinstance(s, ast.For) and not s.orelse and not _jumps(s.body):
            return self._for(s)
        return [s]

    # ---- pieces

    def _name(self):
        self._count += 1
        self.changed = True
        return f"__ag{self._count}"

    @staticmethod
    def _call(what, *args):
        return ast.Call(ast.Attribute(ast.Name(_CALLS, ast.Load()), what, ast.Load()), list(args), [])

    @staticmethod
    def _tuple(names, context):
        return ast.Tuple([ast.Name(n, context()) for n in names], context())

    def _function(self, name, arguments, body, results=None):
        ending = [] if results is None else [ast.Return(self._tuple(results, ast.Load))]
        return ast.FunctionDef(name=name, args=_arguments(arguments), body=body + ending or [ast.Pass()], decorator_list=[],
                               returns=None, type_params=[])

    def _defined(self, names):
        """Names that may not have a value yet get a sign of that."""
        return [ast.Assign([ast.Name(n, ast.Store())], self._call("value_or_none", ast.Lambda(
            _arguments([]), ast.Name(n, ast.Load())))) for n in names]

    def _assign(self, names, value):
        return ast.Assign([self._tuple(names, ast.Store)], value) if names else ast.Expr(value)

    # ---- statements

    def _if(self, s):
        names = _names(s.body + s.orelse)
        yes, no = self._name(), self._name()
        call = self._call("if_statement", s.test, ast.Name(yes, ast.Load()), ast.Name(no, ast.Load()),
                          self._tuple(names, ast.Load))
        return [*self._defined(names), self._function(yes, names, s.body, names),
                self._function(no, names, s.orelse, names), self._assign(names, call)]

    def _returning_if(self, s, rest):
        yes, no = self._name(), self._name()
        bodies = [self.block(s.body), self.block(s.orelse or rest)]
        names = [_names(b) for b in bodies]
        call = self._call("if_expression", s.test, *[
            self._call("bound", ast.Name(f, ast.Load()), self._tuple(n, ast.Load)) for f, n in zip((yes, no), names)])
        every = list(dict.fromkeys(names[0] + names[1]))
        return [*self._defined(every), *[self._function(f, n, b) for f, n, b in zip((yes, no), names, bodies)],
                ast.Return(call)]

    def _while(self, s):
        names = _names(s.body)
        test, body = self._name(), self._name()
        call = self._call("while_statement", ast.Name(test, ast.Load()), ast.Name(body, ast.Load()),
                          self._tuple(names, ast.Load))
        return [*self._defined(names), self._function(test, names, [ast.Return(s.test)]),
                self._function(body, names, s.body, names), self._assign(names, call)]

    def _for(self, s):
        names = [n for n in _names(s.body + [ast.Assign([s.target], ast.Constant(0))])]
        body, item = self._name(), self._name()
        start = ast.Assign([s.target], ast.Name(item, ast.Load()))
        call = self._call("for_statement", s.iter, ast.Name(body, ast.Load()), self._tuple(names, ast.Load))
        return [*self._defined(names), self._function(body, [item, *names], [start, *s.body], names),
                self._assign(names, call)]
