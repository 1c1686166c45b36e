"""README.txt of a bundle."""

from runai_collect.plan import CONFIGMAPS_WITH_DATA, Options
from runai_collect.readme import readme_text


def test_it_names_the_bundle_and_every_configmap_that_is_kept() -> None:
    text = readme_text("runai-bundle-x", Options())
    assert text.startswith("runai-bundle-x\n")
    assert all(f"    {pattern}\n" in text for pattern in CONFIGMAPS_WITH_DATA)
    assert "left out on request" not in text


def test_it_says_what_was_left_out() -> None:
    text = readme_text("x", Options(namespaces=("runai", "team-a"), exec_=False, logs=False))
    assert "nvidia-smi was not run (--no-exec)." in text
    assert "No logs were read (--no-logs)." in text
    assert "read of runai, team-a only (-n)." in text
    assert "left out on request" in text
    assert "(--no-secrets)" not in text


def test_it_says_exactly_what_happens_to_the_secrets_that_are_read_whole() -> None:
    """Those of certificates come with their private keys into this machine's memory: "never left the cluster" would be wrong."""
    text = " ".join(readme_text("x", Options()).split())
    assert "were read whole, private key included, into the memory of the machine that ran runai-collect" in text
    assert "kept their public certificates and whether the key fits" in text
    assert "--no-certificates no Secret whole" in text
    assert "never left" not in text


def test_it_says_that_no_secret_was_read_whole_where_that_is_so() -> None:
    for options in (Options(certificates=False), Options(secrets=False)):
        assert "read whole, private key included" not in " ".join(readme_text("x", options).split())


def test_it_says_what_a_bundle_tells_about_a_site_and_how_to_tell_less() -> None:
    text = readme_text("x", Options())
    for word in ("nodes, hosts, namespaces", "IP addresses", "registries", "annotations", "environment", "users"):
        assert word in text
    assert "-n NAMESPACE" in text
    assert "key that was stored nowhere" in " ".join(text.split())


def test_its_lines_fit_a_terminal() -> None:
    for options in (Options(), Options(certificates=False), Options(secrets=False)):
        lines = readme_text("runai-bundle-x", options).splitlines()
        assert [line for line in lines if len(line) > 80 and "/" not in line] == []


def test_it_says_what_was_excluded_and_what_then_was_read_of_secrets() -> None:
    text = readme_text("x", Options(exclude=("kind:events", "namespace:team-*"), only=("path:logs/*",), since=7200.0))
    assert "Left out by --exclude: kind:events, namespace:team-*." in text
    assert "Left out was all but, by --only: path:logs/*." in text
    assert "only the last 7200 seconds were read (--since)" in text
    assert "were read whole" not in text
    assert "Nothing was read of Secrets" in readme_text("x", Options(exclude=("kind:secrets",)))


def test_it_says_how_to_look_inside_whatever_the_file_is_called() -> None:
    lines = readme_text("runai-bundle-x", Options()).split("How to look inside")[1].splitlines()[1:]
    assert lines[0].startswith("  runai-collect inspect FILE")
    assert not [line for line in lines if "x.tgz" in line]
