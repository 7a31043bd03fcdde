"""What Git calls when something happened, and what then runs in the background."""
