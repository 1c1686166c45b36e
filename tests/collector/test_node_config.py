"""Credentials of container runtimes in TOML, JSON and YAML, and what beside them stays."""

import time

import pytest
from runai_collect.node_config import hide_credentials

S = "hunter2Horse"


@pytest.mark.parametrize(
    "text",
    [
        f'[plugins."io.containerd.grpc.v1.cri".registry.configs."r".auth]\n  whatever = "{S}"\n',
        f"[plugins.'io.containerd.cri.v1.images'.registry.configs.'r'.auth] # login\nidentitytoken = '{S}'\n",
        f'[host."https://r".header]\n  x-one = ["{S}",\n"two {S}=="]\n# x-old = "{S}"\n',
        f'[host."https://r"]\n  header = {{authorization = "{S}"}}\n',
        f'auth = {{username = "u", password = "{S}"}}\n',
        f'#  password = "{S}"\n',
        f'{{\n "auths": {{\n  "r": {{\n   "x": "{S}"\n  }}\n }}\n}}\n',
        f'"HttpHeaders": {{"X-Meta": "{S}"}},\n',
        f"staticPodURLHeader:\n  X-One:\n  - {S}\n  X-Two: [{S}]\n",
        f'[host]\n"https://r" = {{capabilities = ["pull"], header = {{x-custom = ["{S}"]}}}}\n',
        f'host."https://r".header.x-custom = "{S}"\n',
        f'host."https://r".header."x custom" = "{S}"\n',
        f'[registry]\n"r.io" = {{ auth = {{ username = "u", password = "{S}" }} }}\n',
        f'[registry.configs."r.io"]\nauth.identitytoken = "{S}"\n',
        f'{{ "x": 1, "HttpHeaders": {{"X-Meta": "{S}"}} }}\n',
        f'{{"a": {{}}, "auths": {{"r": {{"x": "{S}"}}}}}}\n',
        f'header =\n  "{S}"\n',
        f'header = {{x = [\n"{S}",\n]}}\n',
        f'[host]\nca = "/etc/ca.crt"\nheader = {{x = "a]b", y = [\n# why\n\n"{S}"\n]}}\n',
    ],
)
def test_hidden(text: str) -> None:
    hidden, found = hide_credentials(text)
    assert S not in hidden
    assert found
    assert hidden.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    "text",
    [
        '[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]\n  BinaryName = "/usr/bin/nvidia"\n',
        '[host."https://r"]\n  capabilities = ["pull", "resolve"]\n  ca = "/etc/ca.crt"\n',
        "authentication:\n  anonymous:\n    enabled: false\n  webhook:\n    cacheTTL: 0s\nauthorization:\n  mode: Webhook\n",
        '{\n "runtimes": {\n  "nvidia": {\n   "args": [],\n   "path": "nvidia-container-runtime"\n  }\n }\n}\n',
        "[nvidia-container-cli]\nenvironment = []\nload-kmods = true\n",
        "authentication: {anonymous: {enabled: false}}\nreadOnlyPort: 0\n",
        '{"authorization-plugins": [], "log-opts": {"max-size": "1m"}, "header-size": 4, "x": {"y": "header"}}\n',
    ],
)
def test_kept(text: str) -> None:
    assert hide_credentials(text) == (text, [])


def test_what_stands_before_and_behind_a_credential_stays() -> None:
    text = f'[host]\n"https://r" = {{ca = "/x", header = {{x = ["{S}"]}}}}\nheader = [\n"{S}"]\nserver = "shown"\n'
    assert hide_credentials(text)[0] == (
        '[host]\n"https://r" = {ca = "/x", header = «redacted:runtime-credential»\n'
        'header = «redacted:runtime-credential»\n«redacted:runtime-credential»\nserver = "shown"\n'
    )


@pytest.mark.parametrize("piece", ["header", "header.", "auth ", '"header"', "header.x", "{", "auth = [\n", "a.b", " ", '"'])
def test_it_takes_no_longer_than_the_text_is_long(piece: str) -> None:
    def seconds(size: int) -> float:
        text, begin = piece * (size // len(piece)), time.process_time()
        hide_credentials(text)
        return time.process_time() - begin

    assert seconds(80_000) < 8 * max(seconds(20_000), 0.01)


def test_a_section_ends_where_the_next_begins() -> None:
    text = f'[a.auth]\n  key = "{S}"\n[b]\n  key = "shown"\n'
    hidden, found = hide_credentials(text)
    assert hidden == '[a.auth]\n  key = «redacted:runtime-credential»\n[b]\n  key = "shown"\n'
    assert found == [(2, "runtime-credential")]
