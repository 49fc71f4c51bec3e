"""When a decision is sure."""

# Logits nearer to 0 than this do not count as decided: it is a hundred times what rounding to single precision can change in
# sums of some dozens of terms of size ten, in whatever order a machine adds them.
SURE = 1e-3
