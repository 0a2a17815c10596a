"""Which exploration constant is better on a small Hex board, and how sure is that? Run it twice: the second time is instant."""

from playout.arena import Rules, compete

AGENTS = ["uct:simulations=200,c=0.3", "uct:simulations=200,c=2", "random"]


def main() -> None:
    # Two random actions begin every pair of games, and both sides play each opening.
    standings = compete("hex:size=5", AGENTS, games=30, seed=1, rules=Rules(openings=2), file="tournament.db", workers=2)
    for row in standings.agents:
        print(
            f"{row.agent:28} {row.rating:+6.0f} Elo ({row.rating_low:+.0f} to {row.rating_high:+.0f}), {100 * row.points:.0f} % of the points"
        )
    for pair in standings.pairs:
        print(f"{pair.a} is better than {pair.b} with probability {pair.superiority:.3f}")


if __name__ == "__main__":
    main()
