"""What a command prints and what Python shows of results: tables and sentences. It computes nothing."""
