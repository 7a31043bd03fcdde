"""What a reader asks of bundles, as plain values; nothing here prints."""
