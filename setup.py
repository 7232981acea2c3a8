"""Compiles the kernels where a C compiler is at hand; without one the package installs and runs uncompiled.

With PARLOUR_PURE=1 in the environment nothing is compiled even where it could be.
"""

import os
import platform
import re
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, "tools")
from declarations import write_declarations

SOURCE = Path("src")
VARIANTS = Path("build/variants")
"""Copies of kernels that are compiled for more than the least processor; which one runs is chosen when it is used."""
FOR_MORE = re.compile(r"^# Also compiled for: (.+)$", re.MULTILINE)
SUPPORT = "parlour.core._memoryviews"
"""Cython's code for memory views, compiled once instead of in every kernel; that halves the time to build."""
SANITIZER = os.environ.get("PARLOUR_SANITIZE", "")
"""The sanitizer to compile with, address or thread; see tools/sanitize.py. Such kernels run with its library only."""
COMPILE = ["-O1", "-g", "-fno-omit-frame-pointer", f"-fsanitize={SANITIZER}"] if SANITIZER else ["-O3", "-g0"]
LINK = [f"-fsanitize={SANITIZER}"] if SANITIZER else []


def kernels() -> list[Extension]:
    """Every module of a folder named kernel that imports cython."""
    paths = sorted(p for p in SOURCE.glob("parlour/**/kernel/*.py") if "import cython" in p.read_text(encoding="utf-8"))
    found = [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            [path.as_posix()],
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        )
        for path in paths
    ] + [variant for path in paths for variant in variants(path)]
    support = (SOURCE / SUPPORT.replace(".", "/")).with_suffix(".c").as_posix()
    return [*found, Extension(SUPPORT, [support], extra_compile_args=COMPILE, extra_link_args=LINK)]


def variants(path: Path) -> list[Extension]:
    """The same kernel for processors with more instructions, under its name with theirs after it."""
    wanted = FOR_MORE.search(path.read_text(encoding="utf-8"))
    if SANITIZER or wanted is None or platform.machine().lower() not in ("x86_64", "amd64"):
        return []
    found = []
    for level in wanted[1].split():
        copy = VARIANTS / path.relative_to(SOURCE).with_stem(f"{path.stem}_{level.replace('-', '_')}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
        name = ".".join(copy.relative_to(VARIANTS).with_suffix("").parts)
        found.append(Extension(name, [copy.as_posix()], extra_compile_args=["-O3", "-g0", f"-march={level}"]))
    return found


class BuildKernels(build_ext):
    """Says once, in words, that the kernels stay uncompiled, instead of failing the installation."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def run(self) -> None:
        super().run()
        missing = [ext.name for ext in self.extensions if not Path(self.get_ext_fullpath(ext.name)).exists()]
        if missing:
            print(
                f"warning: no working C compiler: {len(missing)} kernels stay uncompiled; Parlour works, but slowly",
                file=sys.stderr,
            )


def compiled() -> list[Extension]:
    """Return the kernels as C, each allowed to fail."""
    write_declarations(SOURCE)
    extensions: list[Extension] = cythonize(
        kernels(),
        shared_utility_qualified_name=SUPPORT,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    )
    for extension in extensions:
        extension.optional = True  # set here, because cythonize makes new extensions and forgets it
    return extensions


PURE = os.environ.get("PARLOUR_PURE", "") not in ("", "0")

setup(ext_modules=[] if PURE else compiled(), cmdclass={"build_ext": BuildKernels})
