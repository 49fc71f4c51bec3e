"""How fast AlgoLens is, as ratios in one run: machines differ, ratios hardly do. And how single
seeds train: ``seeds``.
"""
