"""The format itself, pure: records, IDs, files of a stream, bundles."""
