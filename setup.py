"""Compiles the kernels where a C compiler is at hand; without one the package installs and runs uncompiled."""

import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")


def kernels() -> list[Extension]:
    """Every module of a folder named kernel that imports cython."""
    paths = sorted(p for p in SOURCE.glob("parlour/**/kernel/*.py") if "import cython" in p.read_text(encoding="utf-8"))
    return [
        Extension(
            ".".join(path.relative_to(SOURCE).with_suffix("").parts),
            [path.as_posix()],
            optional=True,
            extra_compile_args=["-O3"],
        )
        for path in paths
    ]


class BuildKernels(build_ext):
    """Says once, in words, that the kernels stay uncompiled, instead of failing the installation."""

    def run(self) -> None:
        super().run()
        missing = [ext.name for ext in self.extensions if not Path(self.get_ext_fullpath(ext.name)).exists()]
        if missing:
            print(
                f"warning: no working C compiler: {len(missing)} kernels stay uncompiled; Parlour works, but slowly",
                file=sys.stderr,
            )


setup(
    ext_modules=cythonize(
        kernels(),
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    ),
    cmdclass={"build_ext": BuildKernels},
)
