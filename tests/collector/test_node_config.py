"""Credentials of container runtimes in TOML, JSON and YAML, and what beside them stays."""

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
    ],
)
def test_kept(text: str) -> None:
    assert hide_credentials(text) == (text, [])


def test_a_section_ends_where_the_next_begins() -> None:
    text = f'[a.auth]\n  key = "{S}"\n[b]\n  key = "shown"\n'
    hidden, found = hide_credentials(text)
    assert hidden == '[a.auth]\n  key = «redacted:runtime-credential»\n[b]\n  key = "shown"\n'
    assert found == [(2, "runtime-credential")]
