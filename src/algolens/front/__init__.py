"""The front door: what ``import algolens as al`` offers. It is imported name by name, when a name
is first asked for.
"""
