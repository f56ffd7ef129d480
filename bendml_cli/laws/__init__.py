"""What is proved, what is tested and what is trusted."""
