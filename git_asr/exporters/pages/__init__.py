"""Pages for a browser: entries of a timeline, the templates that show them, one style and one script."""
