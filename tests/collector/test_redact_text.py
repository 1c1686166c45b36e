"""Secrets in text: one table of what goes, one of what stays."""

import base64
import json
import random
import re
import time

import pytest
from runai_collect.hints import UNSEEN, hints_of
from runai_collect.redact_text import redact_line, redact_text

VALUE = "Zx81fR4nKenst3in"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7\nabcd==\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("password=V", "password=«redacted:password»"),
        ("login failed, password=V", "login failed, password=«redacted:password»"),
        ("Authorization: Bearer V", "Authorization: Bearer «redacted:authorization»"),
        ("X-Api-Key: V", "X-Api-Key: «redacted:key»"),
        ('{"password":"V","user":"a"', '{"password":"«redacted:password»","user":"a"'),
        ('{\\"token\\":\\"V\\"}', '{\\"token\\":\\"«redacted:token»\\"}'),
        ("postgres://app:V@db/x", "postgres://«redacted:url-userinfo»@db/x"),
        ("https://V@github.com/x", "https://«redacted:url-userinfo»@github.com/x"),
        ("Server=a;User Id=sa;Password=V;Timeout=3", "Server=a;User Id=sa;Password=«redacted:password»;Timeout=3"),
        ("app:V@tcp(db:3306)/x", "«redacted:connection-string»@tcp(db:3306)/x"),
        ("GET /?token=V&page=2", "GET /?token=«redacted:token»&page=2"),
        ("<password>V</password>", "<password>«redacted:password»</password>"),
        ('<add key="Password" value="V"/>', '<add key="Password" value="«redacted:password»"/>'),
        ("map[password:V user:x]", "map[password:«redacted:password» user:x]"),
        ("requirepass V", "requirepass «redacted:password»"),
        ("curl -u bob:V https://x", "curl -u «redacted:basic-auth» https://x"),
        ("mysql -h db -pV app", "mysql -h db -p«redacted:password» app"),
        ("ALTER USER a IDENTIFIED BY 'V'", "ALTER USER a IDENTIFIED BY «redacted:password»"),
        ("db:5432:app:me:V", "db:5432:app:me:«redacted:pgpass»"),
        ("password is V", "password is «redacted:password»"),
        ("echo V | docker login --password-stdin", "echo «redacted:password» | docker login --password-stdin"),
        ("aws secret access key: V", "aws secret access key: «redacted:key»"),
        ("using token V now", "using token «redacted:token» now"),
        ("Unseal Key 1: V", "Unseal Key 1: «redacted:key»"),
        ("define('DB_PASSWORD', 'V');", "define('DB_PASSWORD', '«redacted:password»');"),
        ('{"value":"V","name":"DB_PASSWORD"', '{"value":"«redacted:password»","name":"DB_PASSWORD"'),
        ("<name>fs.secret.key</name><value>V</value>", "<name>fs.secret.key</name><value>«redacted:key»</value>"),
        ("Set-Cookie: sid=V; Path=/", "Set-Cookie: «redacted:cookie»"),
        ("password%3DV", "password%3D«redacted:password»"),
        ("HTTPS_PROXY=svc:letmein@proxy:3128", "HTTPS_PROXY=«redacted:url-userinfo»@proxy:3128"),
        ("image: u:V@reg/x", "image: «redacted:url-userinfo»@reg/x"),
        ('proxy_set_header Authorization "Basic V";', 'proxy_set_header Authorization "Basic «redacted:authorization»";'),
        ('proxy_set_header X-Api-Key "V";', 'proxy_set_header X-Api-Key "«redacted:key»";'),
        ('if ($http_x_token != "V") {', 'if ($http_x_token != "«redacted:token»") {'),
        ("authorization Basic V", "authorization Basic «redacted:authorization»"),
        ("export GITHUB_PAT=V", "export GITHUB_PAT=«redacted:token»"),
        ("vault login V", "vault login «redacted:token»"),
        ("ngrok authtoken V", "ngrok authtoken «redacted:token»"),
        ("aws configure set aws_secret_access_key V", "aws configure set aws_secret_access_key «redacted:token»"),
        ("vault kv put secret/x value=V", "vault kv put secret/x value=«redacted:password»"),
        ("curl -ubob:V https://x", "curl -u«redacted:basic-auth» https://x"),
        ("curl -b session=V x", "curl -b session=«redacted:password» x"),
        ("az login --service-principal -u x -p V", "az login --service-principal -u x -p «redacted:password»"),
        (
            "kubectl create secret generic x --from-literal=foo=V",
            "kubectl create secret generic x --from-literal=foo=«redacted:password»",
        ),
        ("mc alias set m http://x ak V", "mc alias set m http://x ak «redacted:password»"),
        ("ipmitool -U ADMIN -P V -H h", "ipmitool -U ADMIN -P «redacted:password» -H h"),
        ("snmpwalk -v2c -c V h", "snmpwalk -v2c -c «redacted:password» h"),
        ("openssl enc -k V", "openssl enc -k «redacted:password»"),
        ('Password: (string) (len=16) "V"', 'Password: (string) (len=16) "«redacted:password»"'),
        ('{"k":"password","v":"V"', '{"k":"password","v":"«redacted:password»"'),
        ("| password | V |", "| password | «redacted:password» |"),
        ("password(V)", "password(«redacted:password»)"),
        ("Secret('V')", "Secret('«redacted:secret-or-name»')"),
        ('set_password("V")', 'set_password("«redacted:password»")'),
        ("password -> V", "password -> «redacted:password»"),
        ("refreshToken->V", "refreshToken->«redacted:token»"),
        ('password: "a b V', 'password: "«redacted:password»'),
        ("license=V", "license=«redacted:opaque»"),
        ("session_id=V", "session_id=«redacted:opaque»"),
        ("\x1b[36mpassword\x1b[0m=\x1b[32mV\x1b[0m", "password=«redacted:password»"),
    ],
)
def test_hidden(line: str, expected: str) -> None:
    assert redact_line(line.replace("V", VALUE))[0] == expected


@pytest.mark.parametrize(
    "shape",
    [
        "AKIA" + "Q" * 16,
        "ghp_" + "a1" * 18,
        "glpat-" + "a" * 20,
        "xoxb-" + "1" * 12,
        "nvapi-" + "a" * 40,
        "hf_" + "a" * 34,
        "AIza" + "a" * 35,
        "sk-" + "a" * 40,
        "dckr_pat_" + "a" * 27,
        "hvs." + "a" * 24,
        "sha256~" + "a" * 43,
        "npm_" + "a" * 36,
        "glsa_" + "a" * 32,
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrOHMifQ." + "a" * 40,
        "$2y$10$" + "a" * 53,
        "AGE-SECRET-KEY-1" + "Q" * 58,
    ],
)
def test_shapes_are_hidden_wherever_they_stand(shape: str) -> None:
    changed, rules = redact_line(f"pulled with {shape} today")
    assert changed == f"pulled with «redacted:{rules[0]}» today"
    assert len(rules) == 1


@pytest.mark.parametrize(
    "line",
    [
        "docker run -u 1000:1000 x",
        "token=<none>",
        "checksum/secret: " + "0123456789abcdef" * 4,
        "The secret runai-reg-creds was not found",
        "tokens per second: 34.5",
        "RUN_AS_USER=1000",
        "DATABASE_POOL_SIZE=20",
        "TOKENIZERS_PARALLELISM=false",
        "HTTP_USER_AGENT=curl/8.0",
        "server = x;",
        "location = /x;",
        "token: invalid signature",
        "secretName: runai-tls",
        "keyCount: 3",
        "image: nvcr.io/x@sha256:" + "a" * 64,
        "max_tokens: 4096",
        'failed to get secret "db" in namespace "runai"',
        "ssh://git@github.com/x",
        "NO_PROXY=.svc,10.0.0.0/8",
        "uid: 8d0c-4e1f",
        "kubernetes.io/hostname: node-1",
        "Bearer authentication is enabled",
        "password: $(DB_PASSWORD)",
        "password_file=/run/secrets/db",
        "checksum/config: " + "0123456789abcdef" * 4,
        "GPU UUID: GPU-4b9d3c1e-1111-2222-3333-444455556666",
        "-----BEGIN CERTIFICATE-----",
        "secret: runai-ca-cert",
        'error="Secret \\"x\\" not found" secret="runai/x"',
        'msg="token expired" token=expired',
        "pad_token_id=50256 eos_token=</s> bos_token=<|begin|>",
        "GET /api?key=abcdefghij HTTP 404",
        "nodes:443:runai:worker:nodea",
        "ubuntu:22.04@sha256:" + "a1" * 32,
        "mailto:ops7@example.com",
        "license: Apache-2.0",
        "vault login failed",
        "tokenizer=Llama-2-7b-chat-hf",
        "key=runai/worker-0 keys: 12",
        '"password": {',
    ],
)
def test_stays(line: str) -> None:
    assert redact_line(line) == (line, [])


def test_yaml_blocks_lists_and_pairs_over_two_lines() -> None:
    text = (
        "password: |\n  one\n  two\nother: x\ntokens:\n- a1b2c3d4e5f6\n"
        "env:\n- name: NGC_API_KEY\n  value: abcdef\n- name: A\n  value: b"
    )
    changed, found = redact_text(text)
    assert changed == (
        "password: |\n  «redacted:password»\n  «redacted:password»\nother: x\ntokens:\n- «redacted:tokens»\n"
        "env:\n- name: NGC_API_KEY\n  value: «redacted:key»\n- name: A\n  value: b"
    )
    assert found == [(2, "password"), (3, "password"), (6, "tokens"), (9, "key")]


@pytest.mark.parametrize(
    "text",
    [
        "kind: Secret\nmetadata:\n  name: x\ndata:\n  a: %s\n---\nkind: ConfigMap\ndata:\n  b: kept",
        "data:\n  a: %s\nkind: Secret\n---\nkind: ConfigMap\ndata:\n  b: kept",
    ],
)
def test_manifests_of_secrets_lose_their_values_and_others_do_not(text: str) -> None:
    changed, _ = redact_text(text % VALUE)
    assert VALUE not in changed
    assert "  a: «redacted:secret-object»" in changed
    assert changed.endswith("b: kept")


def test_private_keys_over_several_lines_with_times_before_them() -> None:
    lines = ["2026-01-01T00:00:00Z " + line for line in ("before", *PEM.split("\n"), "after")]
    changed, found = redact_text("\n".join(lines))
    assert changed.split("\n")[1] == "2026-01-01T00:00:00Z «redacted:private-key»"
    assert "MIIE" not in changed
    assert (changed.split("\n")[0], changed.split("\n")[-1]) == (lines[0], lines[-1])
    assert [number for number, _ in found] == [2, 3, 4, 5]


def test_a_private_key_whose_begin_or_end_was_cut_off() -> None:
    body = "\n".join(["Q" * 64] * 3)
    headless, _ = redact_text("before\n" + body + "\nQQ==\n-----END PRIVATE KEY-----\nafter")
    endless, _ = redact_text("before\n-----BEGIN PRIVATE KEY-----\n" + body)
    assert "QQQQ" not in headless
    assert headless.startswith("before\n")
    assert headless.endswith("\nafter")
    assert "QQQQ" not in endless


def test_a_private_key_in_one_line() -> None:
    assert redact_line(PEM.replace("\n", "\\n")) == ("«redacted:private-key»", ["private-key"])


def test_base64_is_opened() -> None:
    inside = base64.b64encode(b"user: a\npassword: " + VALUE.encode()).decode()
    assert redact_line("blob " + inside) == ("blob «redacted:base64»", ["base64"])
    login = base64.b64encode(b"robot:letmeinplease").decode()
    assert redact_line("blob " + login) == ("blob «redacted:base64»", ["base64"])
    harmless = base64.b64encode(b"nothing to see here, move along").decode()
    assert redact_line("blob " + harmless) == ("blob " + harmless, [])


@pytest.mark.parametrize(
    "text", ["python train.py --wandb=K", "--wandb K", "WANDB=K", "wandb: K", '{"wandb":"K"}', "wandb login K", "wandb_key: K"]
)
def test_a_key_of_weights_and_biases_is_known_by_its_name_and_form(text: str) -> None:
    key = "0123456789abcdef" * 2 + "01234567"
    assert key not in redact_line(text.replace("K", key))[0]


@pytest.mark.parametrize(
    "text", ["--wandb=offline", "WANDB_PROJECT=llm-7b", "wandb: true", "commit 0123456789abcdef0123456789abcdef01234567"]
)
def test_what_is_no_key_of_weights_and_biases_stays(text: str) -> None:
    assert redact_line(text)[0] == text


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"Secret",\n"data":{\n"foo":"V"}}',
        "kind: Secret\ndata: {foo: V}",
        '{\n  "data": {\n    "a": "V",\n    "b": "V"\n  },\n  "kind": "Secret"\n}',
        "- name: DB_PASSWORD\n  # of the database\n\n  value: V",
        "- name: PASSWORD\n  valueFrom: null\n  value: V",
        'password: "abc\n  V"',
        "<password>\nV\n</password>",
        "password=\\\nV",
        "Initial password:\n  V",
        "Initial password\n  V",
        "[x] -----BEGIN PRIVATE KEY-----\n[x] > V <\n",
    ],
)
def test_over_several_lines(text: str) -> None:
    changed, found = redact_text(re.sub(r"\bV\b", VALUE, text))
    assert VALUE not in changed
    assert changed.count("\n") == text.count("\n")
    assert found


@pytest.mark.parametrize("line", ["session for <J> refreshed", 'password="two <W> words" retry=1', "token <J>"])
def test_near_by_is_never_seen_before_the_rules_that_know_more(line: str) -> None:
    jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiAiMHdrNnBGMmlGZlpW." + VALUE * 2
    changed, _ = redact_text("a\n" + line.replace("<J>", jwt).replace("<W>", VALUE + " rest") + "\nb")
    assert not any(part in changed for part in (VALUE, "rest words", "eyJzdWIi"))


@pytest.mark.parametrize("value", ["/m/CTTZ2Qz96uJlUviSAeWTZcwncu5RvZpV5i1Ni", "/mx/CTTZ2Qz96uJlUviSAeWTZcwncu5RvZpV5i1N"])
def test_a_key_that_begins_like_a_path_is_none(value: str) -> None:
    assert redact_text(f"aws secret access key: {value} loaded")[0] == "aws secret access key: «redacted:key» loaded"


@pytest.mark.parametrize(
    "path", ["/etc/runai/tls.key", "/var/run/secrets/kubernetes.io/serviceaccount/token", "/etc/ssl/rather-long-name-of-key.pem"]
)
def test_a_path_under_a_name_of_secrets_stays(path: str) -> None:
    assert redact_text(f"password: {path}")[0] == f"password: {path}"


@pytest.mark.parametrize("stamp", ["", "2026-11-30T12:00:00.000000001Z "])
def test_a_line_of_json_stays_json_wherever_the_secret_stands(stamp: str) -> None:
    for text in ('{"token": "V", "n": 1}', '{"n": 1, "token": "V"}', '{"token": "V"}', '{"a": {"password": "V"}}'):
        changed, found = redact_text(f"{stamp}{text.replace('V', VALUE)}\n{stamp}done")
        line = changed.split("\n")[0][len(stamp) :]
        assert json.loads(line) == json.loads(text.replace("V", f"«redacted:{found[0][1]}»"))


def test_an_argument_behind_a_quoted_name_may_be_followed_by_a_blank() -> None:
    assert redact_text('set("token", "hunter22" )')[0] == 'set("token", "«redacted:token»" )'


def test_references_in_braces_stay_and_other_values_in_them_do_not() -> None:
    volume = 'a: [{"name":"x","secret":{"secretName":"default-token-62jnv","defaultMode":420}}]'
    assert redact_text(volume) == (volume, [])
    assert redact_text('a: [{"secret":{"name":"x","value":"V"}}]')[0] == 'a: [{"secret":«redacted:secret-or-name»}]'


def test_yaml_that_a_program_prints_into_its_log_is_read_as_yaml() -> None:
    lines = [
        "config:",
        "  tokens:",
        "  - abcdefgh",
        "  password: |",
        "    hunter",
        "  secrets:",
        "  - etcdcerts",
        "  token: expired",
    ]
    stamp = "2026-11-30T12:00:00.000000001Z "
    changed, found = redact_text("\n".join(stamp + line for line in lines), 0, lambda body: (body, []))
    assert [line[len(stamp) :] for line in changed.split("\n")] == [
        *lines[:2], "  - «redacted:tokens»", lines[3], "    «redacted:password»", *lines[5:]
    ]  # fmt: skip
    assert found == [(3, "tokens"), (5, "password")]


def test_the_number_of_lines_stays() -> None:
    text = "a\n\npassword: |\n\n  x\n\n" + PEM + "\n\n"
    assert redact_text(text)[0].count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pa\x1b[0mssword=V", "password=«redacted:password»"),
        ("pass\u200bword=V", "password=«redacted:password»"),
        ("\x1b]0;title\x07password: V", "password: «redacted:password»"),
        ("密码：V", "密码:«redacted:password»"),
        ("ＰＡＳＳＷＯＲＤ＝V", "PASSWORD=«redacted:password»"),
        ("\x1b[2J\x1b[1;1Hall is well\x07\x1b(B", "all is well(B"),
        ("状态：正常", "状态：正常"),
    ],
)
def test_what_is_not_seen_on_a_terminal_hides_nothing_and_goes(line: str, expected: str) -> None:
    """In both, and in any order: a line seen as part of a text must not count as clean by itself, nor the other way round."""
    assert redact_text(line.replace("V", VALUE))[0] == expected
    assert redact_line(line.replace("V", VALUE))[0] == expected
    assert redact_text("a\n" + line.replace("V", VALUE) + "\nb")[0] == "a\n" + expected + "\nb"
    assert redact_line(expected)[0] == expected


PIECES = """tokenname§ keyname。 tokenize， keyid\x01 authtype— ▁key session… a-key- key: key=" "key <key <key> name:key value=x\\
mysql_ docker_login_ echo_a_ -u_a_ ://a@ eyJaaaaaa. cookie: key:_{ secret_ QUFB |key| a:b@ token( x-key=& authorization_ key=>
-----BEGIN_PRIVATE_KEY----- \x1b[ k1 password_is_ header_key_ vault_login_""".replace("\n", " ").split(" ")


@pytest.mark.parametrize("seed", range(60))
def test_time_grows_as_the_text_does(seed: int) -> None:
    """Eight times the text takes eight times as long, and 64 times where a scan starts again at each name; 24 is between."""
    rng = random.Random(seed)
    pieces = PIECES[seed : seed + 1] or rng.choices(PIECES, k=rng.randint(2, 6))
    unit = "".join(pieces).replace("_", " ")

    def cost(size: int) -> float:
        text = unit * (size // len(unit))
        spent = []
        for run in range(3):
            begin = time.process_time()
            redact_text(f"{run}{text}")
            spent.append(time.process_time() - begin)
        return min(spent)

    assert cost(32000) < 24 * max(cost(4000), 0.002), unit


@pytest.mark.parametrize(
    "text",
    [
        "mysql " * 20000,
        "echo " * 20000,
        "<key " * 20000,
        "token={" * 20000,
        "kind: Secret\ndata:\n" * 2000,
        "password " * 20000,
        "password=x1 " * 40000,
        "value: x1y, name: password, " * 10000,
        "-----BEGIN PRIVATE KEY-----\n\n" * 20000,
        "-----END PRIVATE KEY-----\nabcd\n" * 20000,
        "kind: Secret\ndata: {" * 2000,
        "secrets:\n- a\n" * 20000,
        "a" * 400000,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    """Each took seconds or minutes where a pattern was not bounded; the limit is generous for a busy machine."""
    begin = time.process_time()
    redact_text(text)
    assert time.process_time() - begin < 3


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_long_text_is_looked_through_in_pieces_as_if_it_were_whole(end: str) -> None:
    block = ["password: |", *["  " + "word " * 9 + str(number) for number in range(60)], "other: x", "tokens:", "- abcdefgh", ""]
    lines = block * (3_000_000 // len("\n".join(block)))
    changed, found = redact_text("\n".join(lines) + end)
    hidden = [number for number, line in enumerate(lines, 1) if line.startswith(("  ", "- "))]
    assert [number for number, _ in found] == hidden
    rows = changed.split("\n")
    assert len(rows) == len(lines) + len(end)
    assert [number for number, row in enumerate(rows, 1) if "redacted" in row] == hidden
    assert [row for row in rows if "redacted" not in row] == [row for row in lines if not row.startswith(("  ", "- "))] + [
        ""
    ] * len(end)


def test_a_secret_at_the_end_of_a_long_line_is_found() -> None:
    line = "ab cd " * 100_000 + "password=" + VALUE
    assert redact_line(line)[1] == ["password"]
    assert hints_of("x " * 50_000 + " \x1b " + "y " * 100_000) == frozenset({UNSEEN})
