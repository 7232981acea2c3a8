"""Writes the C declarations (`.pxd`) of each kernel from its Python source; setup.py runs it.

A kernel's source has all that is needed, by these rules:

* A method that returns a C type (`-> cython.int`, `-> cython.void`) is a C function that neither raises nor needs
  the GIL; any other is called from Python. A method that replaces an inherited one needs no annotations.
* An attribute has the type with which `__init__` annotates it (`self.tiles: cython.int = …`). Python can read numbers.
  An attribute assigned from `ints(…)` and similar functions is a pointer.
* Names that are imported from other kernels `if not cython.compiled` are imported in C as well.
* The integers of a module that is not compiled itself are C constants.
* The text `IN_C` of a module that is not compiled replaces its Python functions.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

POINTERS = {
    "octets": "unsigned char *",
    "signed_octets": "signed char *",
    "shorts": "unsigned short *",
    "ints": "int *",
    "longs": "long long *",
    "words": "unsigned long long *",
}


def write_declarations(source: Path) -> None:
    """Write a `.pxd` beside each kernel that has anything to declare; an unchanged file is not written."""
    for path in sorted(source.glob("parlour/**/kernel/*.py")):
        text = declarations(path.read_text(encoding="utf-8"))
        declared = path.with_suffix(".pxd")
        if text and not (declared.exists() and declared.read_text(encoding="utf-8") == text):
            declared.write_text(text, encoding="utf-8")


def declarations(source: str) -> str:
    """Return the declarations of the kernel with this source; empty if it needs none."""
    module = ast.parse(source)
    lines = list(_imports(module))
    if "import cython" not in source:
        numbers = [line for line in map(_number, module.body) if line]
        lines += ["cdef enum:", *numbers] if numbers else []
        lines += [text for node in module.body if (text := _text_in_c(node))]
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            lines += _class(node)
    return "\n".join(["cimport cython", *lines, ""]) if lines else ""


def _imports(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and re.match(r"parlour\..*\.kernel\.", node.module or ""):
            yield f"from {node.module} cimport {', '.join(alias.name for alias in node.names)}"


def _number(node: ast.stmt) -> str:
    match node:
        case ast.Assign([ast.Name(name)], ast.Constant(int() as value)):
            return f"    {name} = {value}"
    return ""


def _text_in_c(node: ast.stmt) -> str:
    match node:
        case ast.Assign([ast.Name("IN_C")], ast.Constant(str() as text)):
            return text
    return ""


def _class(node: ast.ClassDef) -> Iterator[str]:
    if "cython.final" in map(ast.unparse, node.decorator_list):
        yield "@cython.final"
    bases = ", ".join(map(ast.unparse, node.bases))
    yield f"cdef class {node.name}({bases}):" if bases else f"cdef class {node.name}:"
    for method in node.body:
        if not isinstance(method, ast.FunctionDef):
            continue
        if method.name == "__init__":
            yield from (f"    {line}" for statement in method.body if (line := _attribute(statement)))
        elif line := _method(method):
            yield f"    {line}"


def _attribute(node: ast.stmt) -> str:
    match node:
        case ast.AnnAssign(ast.Attribute(ast.Name("self"), name), annotation):
            is_number = isinstance(annotation, ast.Attribute) and "p_" not in annotation.attr
            return f"cdef {'readonly ' if is_number else ''}{c_type(annotation)} {name}"
        case ast.Assign([ast.Attribute(ast.Name("self"), name)], ast.Call(ast.Name(maker))) if maker in POINTERS:
            return f"cdef {POINTERS[maker]}{name}"
    return ""


def _method(node: ast.FunctionDef) -> str:
    if node.returns is None or not _is_c(node.returns):
        return ""
    takes = ["self", *(f"{c_type(arg.annotation)} {arg.arg}" for arg in node.args.args if arg.annotation)]
    return f"cdef {c_type(node.returns)} {node.name}({', '.join(takes)}) noexcept nogil"


def _is_c(annotation: ast.expr) -> bool:
    return ast.unparse(annotation).startswith("cython.")


def c_type(annotation: ast.expr) -> str:
    """Return the C type of an annotation: `cython.const[cython.uchar][::1]` is `const unsigned char[::1]`."""
    match annotation:
        case ast.Attribute(ast.Name("cython"), name):
            pointer = name.startswith("p_")
            name = re.sub(r"^u(?=char|short|int|long)", "unsigned ", name.removeprefix("p_"))
            return re.sub(r"^s(?=char)", "signed ", name).replace("longlong", "long long") + " *" * pointer
        case ast.Subscript(ast.Attribute(ast.Name("cython"), "const"), inner):
            return f"const {c_type(inner)}"
        case ast.Subscript(of):
            return c_type(of) + ast.unparse(annotation).removeprefix(ast.unparse(of))
    return ast.unparse(annotation)
