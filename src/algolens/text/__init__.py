"""What commands print and Python shows of results: tables and sentences. It computes nothing."""
