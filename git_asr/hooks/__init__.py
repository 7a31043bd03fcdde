"""The hooks: what lets records appear by themselves, and never fails, delays or prints in a user's command."""
