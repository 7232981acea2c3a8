"""Names of accounts as clients use them: a deleted account's name may be registered again, as a new account.

The store keeps the deleted account locked under its name, because records and ratings show players by name. The new
account has another name there and on pages, so that nobody takes its holder for the former one.
"""

from __future__ import annotations

from parlour.net.mila.faults import UserException
from parlour.net.mila.reused_names import ReusedNames

FREE = ""
"""The meaning of a name whose account was deleted."""


class AccountNames(ReusedNames):
    """Maps the names that clients sign in with to accounts."""

    key = "mila accounts"

    def is_free(self, name: str) -> bool:
        """Return True if the account of a name was deleted, and nobody has opened another since."""
        return self.reused.get(name) == FREE

    def account(self, name: str) -> str:
        """Return the account that a name means; raise UserException if it was deleted."""
        if self.is_free(name):
            raise UserException(f"There is no account {name[:60]!r}.")
        return self.stored(name)

    async def keep(self, name: str, account: str) -> None:
        """Store that a name means an account from now on, or FREE."""
        await self._store.keep(self.meaning(name, account))
        self.add(name, account)
