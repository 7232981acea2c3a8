"""Programs, models and people play Diplomacy and Fish under one fair referee."""

from __future__ import annotations

from parlour.core import kernels as _kernels

if _kernels.PURE:
    _kernels.prefer_source()

__version__ = "0.1.0"
