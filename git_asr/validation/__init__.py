"""Checks of streams, bundles and the companion ref, by the rules of the profile and of the specification."""
