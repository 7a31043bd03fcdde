"""The companion ref and what belongs to it: bundles in Git, merging, notes, local state."""
