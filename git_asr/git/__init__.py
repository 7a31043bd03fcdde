"""The only package that touches Git: repository, history, objects, refs."""
