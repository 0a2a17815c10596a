"""Learn tic-tac-toe by playing it, and see how far from perfect play that is after some episodes."""

from playout.learning import learn


def main(episodes: int = 50_000) -> list[int | None]:
    learned = learn("tic-tac-toe", episodes=episodes, seed=1)
    for point in learned.result.curve[::8]:
        print(f"after {point.episodes:>6,} episodes: lines lost as first and as second {point.evaluation.losing_lines}")
    state = learned.policy.game.start().play("b2")
    print(f"\n{state}\n\nwhat the answers are worth to player {state.mover}:")
    for action, (value, count) in sorted(learned.policy.rate(state).items(), key=lambda item: -item[1][0]):
        print(f"  {state.name(action)}  {value:+.3f}  learned {count:,} times")
    return learned.result.losing_lines


if __name__ == "__main__":
    main()
