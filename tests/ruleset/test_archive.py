"""A pack as one file: the same bytes everywhere, whole or refused, never extracted, never more memory than the file itself."""

import hashlib
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from runai_analyze.authoring.pack import build_pack
from runai_analyze.errors import RuleErrors
from runai_analyze.ruleset import load_packs, read_packs
from runai_analyze.ruleset.archive import is_pack_file, read_files

from tests.ruleset.packs import RULE, write_pack

MANIFEST = "pack-manifest.json"


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    file = tmp_path / "tests-1.0.rules.zip"
    file.write_bytes(build_pack(write_pack(tmp_path / "pack")).data)
    return file


def rewritten(file: Path, change: Callable[[dict[str, bytes]], None], compression: int = zipfile.ZIP_STORED) -> Path:
    """Write the file again, its members changed; the list of files stays as it was unless ``change`` changes it."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    change(members)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    file.write_bytes(whole.getvalue())
    return file


def refusal(file: Path) -> str:
    (mistake,) = read_packs([file])[1]
    assert (mistake.code, mistake.file) == ("damaged-pack", str(file))
    with pytest.raises(RuleErrors) as caught:
        load_packs([file])
    assert caught.value.exit_code == 4
    return mistake.message


def test_a_packed_pack_is_the_same_pack(tmp_path: Path, packed: Path) -> None:
    folder, one = load_packs([tmp_path / "pack"]), load_packs([packed])
    assert one.info == folder.info
    assert [rule.id for rule in one.rules] == ["RAI-TST-001"]
    assert one.rules[0].file == f"{packed}/nodes/RAI-TST-001.yaml"
    assert one.tables == folder.tables


def test_the_bytes_depend_on_the_contents_alone(tmp_path: Path, packed: Path) -> None:
    other = write_pack(tmp_path / "other")
    (other / "README.md").write_text("for people")
    (other / ".hidden.yaml").write_text("x: 1")
    rule = other / "nodes" / "RAI-TST-001.yaml"
    rule.write_bytes(RULE.replace("\n", "\r\n").encode())
    rule.chmod(0o600)
    built = build_pack(other)
    assert built.data == packed.read_bytes()
    assert built.sha256 == hashlib.sha256(packed.read_bytes()).hexdigest() == read_files(packed).sha256
    assert built.name == "tests-1.0.rules.zip"


def test_it_lists_its_files_with_their_checksums(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        assert archive.namelist()[0] == MANIFEST
        manifest = json.loads(archive.read(MANIFEST))
        contents = {name: archive.read(name) for name in archive.namelist()[1:]}
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()} == manifest["files"]
    assert (manifest["name"], manifest["version"], manifest["engine"], manifest["format"]) == ("tests", "1.0", ">=0.1", 1)
    assert manifest["digest"] == read_files(packed).digest


def test_a_changed_file_is_refused(packed: Path) -> None:
    def change(members: dict[str, bytes]) -> None:
        members["nodes/RAI-TST-001.yaml"] = members["nodes/RAI-TST-001.yaml"].replace(b"at_least: 8", b"at_least: 1")

    said = refusal(rewritten(packed, change))
    assert said == (
        "this is no whole pack of rules: the checksum of nodes/RAI-TST-001.yaml is wrong: it was changed or damaged after it was "
        "built; get the file again, or make it with runai-rules pack build"
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nodes/RAI-TST-002.yaml", "'nodes/RAI-TST-002.yaml' is not in its list of files"),
        ("../../etc/cron.d/x.yaml", "'../../etc/cron.d/x.yaml' is not in its list of files"),
    ],
)
def test_a_file_more_is_refused(packed: Path, name: str, words: str) -> None:
    assert words in refusal(rewritten(packed, lambda members: members.update({name: b"x: 1"})))


def test_a_file_less_is_refused(packed: Path) -> None:
    assert "'checklist.yaml' is missing" in refusal(rewritten(packed, lambda members: members.pop("checklist.yaml") and None))


@pytest.mark.parametrize("name", ["../x.yaml", "/etc/x.yaml", "a\\x.yaml", "x.sh", "a//x.yaml", "\u202ex.yaml", ".x.yaml"])
def test_no_name_that_is_none_of_a_pack_is_taken_even_when_listed(packed: Path, name: str) -> None:
    def change(members: dict[str, bytes]) -> None:
        manifest = json.loads(members[MANIFEST])
        manifest["files"][name] = hashlib.sha256(b"x: 1").hexdigest()
        members.update({MANIFEST: json.dumps(manifest).encode(), name: b"x: 1"})

    assert not is_pack_file(name)
    assert "is no file of a pack" in refusal(rewritten(packed, change))


def test_what_would_unfold_is_refused_unread(packed: Path) -> None:
    bomb = b"x" * (64 << 20)
    file = rewritten(packed, lambda members: members.update({"nodes/x.yaml": bomb}), zipfile.ZIP_DEFLATED)
    assert file.stat().st_size < 100_000
    assert "its files are compressed or encrypted, which those of a pack are not" in refusal(file)


def test_two_files_of_one_name_are_refused(packed: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("pack.yaml", "name: other")
    assert "it holds two files of one name" in refusal(packed)


def test_a_newer_format_says_so(packed: Path) -> None:
    newer = {"format": 2, "files": {}}
    said = refusal(rewritten(packed, lambda members: members.update({MANIFEST: json.dumps(newer).encode()})))
    assert "it is of format 2; this version of the program reads format 1" in said


@pytest.mark.parametrize("data", [b"", b"PK\x05\x06" + b"\0" * 18, b"name: acme\n", b"\0" * 4096])
def test_what_is_no_pack_is_refused(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "x.rules.zip"
    file.write_bytes(data)
    assert refusal(file).startswith("this is no whole pack of rules: ")


def test_a_rule_in_place_of_a_pack_is_told_what_to_name(tmp_path: Path) -> None:
    assert "named by its folder, the one with pack.yaml" in refusal(write_pack(tmp_path) / "nodes" / "RAI-TST-001.yaml")


def test_a_file_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    file = tmp_path / "x.rules.zip"
    with file.open("wb") as handle:
        handle.truncate(10 << 30)
    assert "it is larger than 16 MiB" in refusal(file)


def test_no_damage_passes_for_a_pack(tmp_path: Path, packed: Path) -> None:
    whole = packed.read_bytes()
    before = load_packs([packed])
    chance = random.Random(7)
    for _ in range(300):
        damaged = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        packed.write_bytes(bytes(damaged[: chance.choice((len(damaged), chance.randrange(len(damaged))))]))
        pack, mistakes = read_packs([packed])
        assert [mistake.code for mistake in mistakes] == ["damaged-pack"] or pack.rules[0].select == before.rules[0].select


def test_nothing_is_written_beside_it(packed: Path) -> None:
    before = sorted(path.name for path in packed.parent.iterdir())
    load_packs([packed])
    assert sorted(path.name for path in packed.parent.iterdir()) == before
