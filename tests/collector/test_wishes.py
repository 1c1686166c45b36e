"""What a value of --exclude and --only means."""

import pytest
from runai_collect.cli import main
from runai_collect.options import build_parser
from runai_collect.wishes import read_wish


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("events", "kind:events"),
        ("Event", "kind:events"),
        ("PODS", "kind:pods"),
        ("deployments", "kind:deployments.apps"),
        ("Deployment", "kind:deployments.apps"),
        ("deployments.apps", "kind:deployments.apps"),
        ("secrets", "kind:secrets"),
        ("leases", "kind:leases.coordination.k8s.io"),
        ("projects.run.ai", "kind:projects.run.ai"),
        ("Projects.run.ai", "kind:projects.run.ai"),
        ("*.run.ai", "kind:*.run.ai"),
        ("runai", "namespace:runai"),
        ("team-*", "namespace:team-*"),
        ("kind:events", "kind:events"),
        ("namespace:events", "namespace:events"),
        ("logs/runai/*", "path:logs/runai/*"),
        ("resources/core/v1/events/", "path:resources/core/v1/events"),
        ("path:secrets/*", "path:secrets/*"),
        ("logs", "path:logs"),
        ("logs/", "path:logs"),
        ("Log", "path:logs"),
        ("nvidia-smi", "path:nodes"),
        ("certificates", "path:certificates"),
        ("helm", "path:helm"),
        ("resources", "path:resources"),
        ("configmaps/", "path:configmaps"),
        ("nodes", "kind:nodes"),
        ("namespace:logs", "namespace:logs"),
    ],
)
def test_a_value_means_a_kind_a_namespace_or_a_path(text: str, meaning: str) -> None:
    assert read_wish(text) == meaning


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("podz", "did you mean pods? If it is a namespace: namespace:podz"),
        ("Podz", "did you mean pods?"),
        ("certificats", "did you mean certificates?"),
        ("nvidia_smi", "is no kind: did you mean nvidia-smi?"),
        ("Project", "kinds of CRDs are named PLURAL.GROUP"),
        ("kind:team-a", "is no kind that is read"),
        ("namespaces", "always read"),
        ("Namespace", "always read"),
        ("log/runai/*", "did you mean logs/?"),
        ("/etc/passwd", "is no file of a bundle"),
        ("path:pods", "is no file of a bundle"),
        ("thing:pods", "begins with none of kind:, namespace: and path:"),
        ("namespace:Team", "is no name of a namespace"),
        ("", "is no name of a namespace"),
        ("a b", "is no name of a namespace"),
        ("..", "is no kind"),
    ],
)
def test_a_value_that_is_none_is_a_usage_error(text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--exclude", "--only"):
        with pytest.raises(SystemExit) as caught:
            build_parser().parse_args([option, text])
        assert caught.value.code == 2
        assert words in " ".join(capsys.readouterr().err.split())


EMPTY = [
    ("-n team-a --exclude team-a", "--exclude leaves out all that -n names: team-a"),
    ("-n team-a -n team-b --exclude team-*", "--exclude leaves out all that -n names: team-a, team-b"),
    ("--only pods --exclude pods", "--exclude leaves out all that --only names: pods"),
    ("--only Pod --only events --exclude kind:pods --exclude Event", "--exclude leaves out all that --only names: pods, events"),
    ("--only team-? --exclude team-*", "--exclude leaves out all that --only names: team-?"),
    ("--only logs/runai --exclude logs", "--exclude leaves out all that --only names: logs/runai"),
    ("--only logs/* --no-logs", "nothing that --only names is read: logs (--no-logs)"),
    ("--only secrets --only helm --no-secrets", "nothing that --only names is read: helm (--no-secrets), secrets (--no-secrets)"),
    ("--only certificates --no-certificates", "nothing that --only names is read: certificates (--no-certificates)"),
    ("--only probes", "nothing that --only names is read: probes (without --probe)"),
    ("--certificate runai/tls", "--certificate goes with --rbac alone"),
    ("--exec-host --no-exec", "--no-exec leaves out what --exec-host asks for"),
    ("--exec-user-pods --no-exec --plan", "--no-exec leaves out what --exec-user-pods asks for"),
]


@pytest.mark.parametrize(("options", "words"), EMPTY)
def test_options_that_leave_nothing_are_a_mistake(options: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*options.split(), "--kubectl", "no-such-program"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(f"runai-collect: error: {words}\n")


@pytest.mark.parametrize(
    "options",
    [
        "-n team-a -n team-b --exclude team-a",
        "--only pods --only events --exclude pods",
        "--only team-* --exclude team-a",
        "--only pods --exclude team-a",
        "--only logs --only pods --no-logs",
        "--only probes --probe",
        "--only secrets --no-certificates",
        "--exec-host --exec-user-pods",
    ],
)
def test_options_that_leave_something_go_together(options: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*options.split(), "--kubectl", "no-such-program"]) == 3
    assert "no-such-program was not found" in capsys.readouterr().err
