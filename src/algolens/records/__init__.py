"""What the files of a run hold, as typed records: see ``algolens.reading``."""
