"""Shipped algorithms in the form of ``algolens.language.declare``, as their files will be."""
