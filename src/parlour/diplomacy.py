"""The rules of Diplomacy under a short name: `import parlour.diplomacy` is parlour.games.diplomacy."""

import sys

from parlour.games import diplomacy

sys.modules[__name__] = diplomacy
