"""Bundles outside Git: folders and archives, read safely and written reproducibly (profile section 7)."""
