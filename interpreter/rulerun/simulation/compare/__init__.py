"""Two games, played side by side: paired sums, differences, and how they are told."""
