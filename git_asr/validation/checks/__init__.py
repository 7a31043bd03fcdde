"""The checks, one module a family."""
