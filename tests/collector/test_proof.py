"""What is proven to be plain is so by the rules, whatever is planted where; and what a cluster is full of is proven."""

import json
import random
from typing import Any

import pytest
from runai_collect import proof
from runai_collect.proof import are_plain
from runai_collect.redact import redact_object

from tests.collector import redact_places
from tests.collector.redact_places import SECTIONS, Row, places, rows
from tests.collector.test_items import POD, compact

ROWS = [row for section in SECTIONS for row in rows("secrets", section)]
ROWS += [row for section in SECTIONS[1:] for row in rows("harmless", section)]
NAMES = """name value key token args command env data kind type items DB_PASSWORD secretName authConfig valueFrom secretKeyRef
    --password a password spec stringData kty d""".split()  # noqa: SIM905 - shorter to read
TEXTS = """Secret SecretList Opaque Zx81fR4nQ7tL2pW9 -p mysql wandb login x,y [1] password=Zx81fR4n runai/x 10.0.0.1 12345678
    main https://u:Zx81fR4n@h/x""".split()  # noqa: SIM905
TEXTS += [*NAMES, "hf_" + "aB3" * 12, "a b", '{"password":"Zx81fR4n"}', ""]


def forget() -> None:
    for memory in (proof._INERT, proof._SPECIAL, proof._DUMB, proof._PIECES, proof._HARMLESS):
        memory.clear()


def hides(text: str) -> bool:
    return bool(redact_object(json.loads(text))[1])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_nothing_is_proven_that_the_rules_hide(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every secret and every harmless value of the corpora in every place, alone, and among others that are known."""
    seen: list[str] = []

    def watched(value: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        seen.append(compact(value))
        return redact_object(value)

    monkeypatch.setattr(redact_places, "redact_object", watched)
    dice = random.Random(row.id)
    for _, put in places(row):
        put(row.filled(dice).text)
    forget()
    proven = [text for text in seen if are_plain([text])]
    proven += [text for text in seen if are_plain([compact(POD), text, compact(POD)])]
    assert [text for text in proven if hides(text)] == []


def made(dice: random.Random, depth: int) -> Any:
    chance = dice.random()
    if depth == 0 or chance < 0.4:
        return dice.choice([*TEXTS, *TEXTS, 7, 4242, 1.5, True, None])
    if chance < 0.8:
        return {dice.choice(NAMES): made(dice, depth - 1) for _ in range(dice.randrange(1, 4))}
    return [made(dice, depth - 1) for _ in range(dice.randrange(1, 4))]


@pytest.mark.parametrize("seed", range(40))
def test_of_random_objects_nothing_is_proven_that_the_rules_hide(seed: int) -> None:
    """In any order, and with what was remembered of others."""
    dice = random.Random(seed)
    forget()
    proven = 0
    for _ in range(300):
        text = compact({"spec": made(dice, 4)})
        if are_plain([text]):
            proven += 1
            assert not hides(text), text
    assert proven > 20


@pytest.mark.parametrize(
    "inner",
    [
        {"name": "DB_PASSWORD", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
        {"projected": {"sources": [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"imagePullSecrets": [{"name": "registry"}]},
        {"message": "Back-off, restarting failed container"},
        {"annotations": {"k8s.v1.cni.cncf.io/network-status": '[{"name":"net","ips":["10.1.2.3"]}]'}},
        {"tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]},
        {"name": "data", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"},
    ],
)
def test_what_stands_in_every_pod_is_proven(inner: dict[str, Any]) -> None:
    forget()
    assert are_plain([compact({**POD, "inner": inner})])


@pytest.mark.parametrize(
    "text",
    [
        '{"password":"Zx81fR4nQ7","password":"x"}',  # twice: a reader may take either
        '{"pass\\u0077ord":"Zx81fR4nQ7"}',
        '{"args":["--password","Zx81fR4nQ7"]}',
        '{"command":["mysql"],"args":["-pZx81fR4nQ7"]}',
        '{"name":"DB_PASSWORD","value":"Zx81fR4nQ7"}',
        '{"value":"Zx81fR4nQ7","name":"DB_PASSWORD"}',
        '{"kind":"Secret","data":{"a":"b"}}',
        '{"kind":"SecretList","items":[{"data":{"a":"b"}}]}',
        '{"auth":{"user":"a","x":"Zx81fR4nQ7tL2pW9aB"}}',
        '{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"x"}}}',
        '{"password":12345678}',
    ],
)
def test_what_may_be_a_secret_by_where_it_stands_is_not_proven(text: str) -> None:
    forget()
    assert not are_plain([text])
    assert not are_plain([compact(POD), text])
    assert not are_plain([text])


def test_the_memory_is_bounded_and_holds_nothing_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proof, "_MOST", 50)
    forget()
    for number in range(500):
        assert are_plain(['{"a%d":"b%d","c":"%s"}' % (number, number, "long " * 50)])  # noqa: UP031 - braces
    assert max(map(len, (proof._INERT, proof._PIECES))) < 100
    assert max(map(len, proof._PIECES)) <= 200
