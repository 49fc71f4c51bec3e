"""Extraction: from what was seen to rules that can be read, checked and run."""
