"""What each command does, from its arguments to its exit status."""
