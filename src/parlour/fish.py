"""The rules of Fish under a short name: `import parlour.fish` is parlour.games.fish."""

import sys

from parlour.games import fish

sys.modules[__name__] = fish
