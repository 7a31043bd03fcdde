"""Entire's own transcript format: what stands in where no native transcript can be read."""
