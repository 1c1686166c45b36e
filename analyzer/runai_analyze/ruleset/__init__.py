"""Rule packs: YAML files to rules, or every mistake in them at once."""

from runai_analyze.ruleset.packs import default_pack, lint_packs, load_packs, pack_name, read_packs
from runai_analyze.ruleset.rule import Pack, Rule

__all__ = ["Pack", "Rule", "default_pack", "lint_packs", "load_packs", "pack_name", "read_packs"]
