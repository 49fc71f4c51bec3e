"""Tests of algolens.records."""
