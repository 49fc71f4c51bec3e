"""Looks written for readers and for other tools: JSON, text, Markdown, LaTeX, Python, SQL."""
