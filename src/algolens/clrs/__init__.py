"""CLRS-30: its tasks beside the algorithms here that do them, and its own traces as the judge."""
