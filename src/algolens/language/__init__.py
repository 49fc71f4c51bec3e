"""The language of programs: its nodes, and what turns quantifiers into aggregates."""
