"""The contract: what a game must and may define, its state, record, random stream, tape and history."""
