"""Does a game keep the contract? Its text, its play in both forms, its speed."""
