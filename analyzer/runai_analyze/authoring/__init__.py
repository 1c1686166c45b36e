"""Tools for people who write rules: what ``runai-rules`` does, without the printing."""
