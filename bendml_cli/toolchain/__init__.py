"""The pinned tools and data: what they are, and installing them into one folder."""
