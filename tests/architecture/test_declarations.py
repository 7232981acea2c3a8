"""The declarations of kernels for C follow from their Python source, and every kernel of the package has some."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNEL = """
import cython

if not cython.compiled:
    from parlour.core.kernel.words import lowest, splitmix
    from parlour.games.fish.kernel.play import Play


@cython.final
@cython.cclass
class Search(Play):
    def __init__(self, tables) -> None:
        Play.__init__(self, tables)
        self.nodes: cython.longlong = 0
        self.seen: cython.const[cython.uchar][:, ::1] = tables.seen
        self.queue = ints(tables.queue)
        self.made: list = []
        self.shared: cython.p_uchar = tables.shared

    def walk(self, seat: cython.int, found: cython.short[::1]) -> cython.uint:
        return 0

    def clear(self) -> cython.void:
        pass

    def run(self, states: cython.uchar[::1]) -> int:
        return 0

    def go_on(self, seat, total):
        return self.walk(seat, total)
"""
DECLARED = """cimport cython
from parlour.core.kernel.words cimport lowest, splitmix
from parlour.games.fish.kernel.play cimport Play
@cython.final
cdef class Search(Play):
    cdef readonly long long nodes
    cdef const unsigned char[:, ::1] seen
    cdef int *queue
    cdef list made
    cdef unsigned char * shared
    cdef unsigned int walk(self, int seat, short[::1] found) noexcept nogil
    cdef void clear(self) noexcept nogil
"""
NUMBERS = """
WEST = 3
EAST = 128
NAME = "east"

def half(number: int) -> int:
    return number // 2

IN_C = '''
cdef inline int half(int number) noexcept nogil:
    return number // 2
'''
"""
DECLARED_NUMBERS = """cimport cython
cdef enum:
    WEST = 3
    EAST = 128

cdef inline int half(int number) noexcept nogil:
    return number // 2

"""


def test_a_kernel_is_declared_by_its_annotations(tmp_path: Path) -> None:
    folder = tmp_path / "parlour" / "games" / "kernel"
    folder.mkdir(parents=True)
    for name, text in {"search": KERNEL, "numbers": NUMBERS, "plain": "import cython\n\ndef f(x): return x\n"}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    write = "import pathlib, sys, declarations; declarations.write_declarations(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", write, tmp_path], cwd=ROOT / "tools", check=True)
    assert (folder / "search.pxd").read_text(encoding="utf-8") == DECLARED
    assert (folder / "numbers.pxd").read_text(encoding="utf-8") == DECLARED_NUMBERS
    assert not (folder / "plain.pxd").exists()


def test_no_declaration_is_written_by_hand() -> None:
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not [name for name in tracked.splitlines() if name.endswith((".pxd", ".pyi"))]
