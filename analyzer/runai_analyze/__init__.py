"""runai-analyze: turns a support bundle into findings, offline."""
