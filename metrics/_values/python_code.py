"""Compare Python expressions: "[n * n for n in xs]" is the same as "[x**2 for x in xs]"."""

import ast
import re
from contextlib import suppress

_IN_PYTHON = re.compile(r"\bfor \w+ in\b|\blambda\b|\breversed\(|\[::-1\]|\brange\(")


def same_expression(left: str, right: str) -> bool:
    """Return whether two texts are Python expressions that differ only in bound names and common idioms.

    No code is run.

    >>> same_expression("list(map(lambda n: n * n, xs))", "[x ** 2 for x in xs]"), same_expression("xs[0]", "xs[1]")
    (True, False)
    """
    if not (_IN_PYTHON.search(left) and _IN_PYTHON.search(right)) or "\\" in left + right:
        return False
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        first, second = (_Plain().visit(ast.parse(text, mode="eval")) for text in (left, right))
        return ast.dump(first) == ast.dump(second)
    return False


class _Plain(ast.NodeTransformer):
    """Rewrites an expression so that equal ones become the same tree."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """Number the names that a comprehension binds."""
        for generator in node.generators:
            if isinstance(generator.target, ast.Name):
                self.names[generator.target.id] = f"bound {len(self.names)}"
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace a bound name by its number."""
        return ast.Name(self.names.get(node.id, node.id), node.ctx)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Replace x * x by x ** 2."""
        node.left, node.right = self.visit(node.left), self.visit(node.right)
        square = isinstance(node.op, ast.Mult) and ast.dump(node.left) == ast.dump(node.right)
        return ast.BinOp(node.left, ast.Pow(), ast.Constant(2)) if square else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace range(0, n), list(reversed(xs)) and list(map(lambda x: …, xs))."""
        match node:
            case ast.Call(ast.Name("range"), [ast.Constant(0), end], []):
                node = ast.Call(node.func, [end], [])
            case ast.Call(ast.Name("list"), [ast.Call(ast.Name("reversed"), [items], [])], []):
                step = ast.UnaryOp(ast.USub(), ast.Constant(1))
                return ast.Subscript(self.visit(items), ast.Slice(None, None, step), ast.Load())
            case ast.Call(
                ast.Name("list"),
                [ast.Call(ast.Name("map"), [ast.Lambda(ast.arguments(args=[argument]), body), items], [])],
                [],
            ):
                target = ast.Name(argument.arg, ast.Store())
                return self.visit_ListComp(ast.ListComp(body, [ast.comprehension(target, items, [], 0)]))
        return self.generic_visit(node)
