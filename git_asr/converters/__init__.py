"""Units → records, pure and streaming: which format a transcript has, what its units are, what they become."""
