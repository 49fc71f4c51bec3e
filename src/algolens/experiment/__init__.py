"""Experiments: frozen records, presets, trainings, and models on disk."""
