"""How fast AlgoLens is, as ratios in one run: machines differ, ratios hardly do."""
