"""Who may do what on a server: accounts, passwords, tokens, roles, and how much of it in what time."""
