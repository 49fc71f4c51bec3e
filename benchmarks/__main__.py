"""``make bench``: every benchmark, one after the other."""

from __future__ import annotations

from rich.console import Console

from benchmarks import exact, exact_steps, kruskal, large, rules, traces, training


def main() -> None:
    """Runs them all."""
    console = Console(width=140)
    traces.main(console)
    large.main(console)
    training.main(console)
    rules.main(console)
    kruskal.main(console)
    exact.main(console)
    exact_steps.main(console)


if __name__ == "__main__":
    main()
