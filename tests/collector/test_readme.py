"""README.txt of a bundle."""

from runai_collect.plan import CONFIGMAPS_WITH_DATA, Options
from runai_collect.readme import readme_text


def test_it_names_the_bundle_and_every_configmap_that_is_kept() -> None:
    text = readme_text("runai-bundle-x", Options())
    assert text.startswith("runai-bundle-x\n")
    assert all(f"    {pattern.namespace}/{pattern.name}\n" in text for pattern in CONFIGMAPS_WITH_DATA)
    assert "--no-" not in text


def test_it_says_what_was_left_out() -> None:
    text = readme_text("x", Options(namespaces=("runai", "team-a"), exec_=False, logs=False))
    assert "nvidia-smi was not run (--no-exec)." in text
    assert "No logs were read (--no-logs)." in text
    assert "read of runai, team-a only (-n)." in text
    assert "--no-secrets" not in text
