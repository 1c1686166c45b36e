"""Commands of a fix: what a customer is told to run does what its risk says, and shows nobody a secret.

Commands are read word by word, never run: programs that people use on a cluster, and of each the words that change something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Word(NamedTuple):
    """A word of a command, and where in the text it stands."""

    text: str
    place: int


Command = Sequence[Word]
Problem = tuple[str, str, int]  # code, message, how far into the text

_PIECES = re.compile(r"[^;&|\n]+")
_WORDS = re.compile(r"\S+")
_HOLE = re.compile(r"<[A-Za-z][A-Za-z _-]{0,40}>")
_LETTER = re.compile(r"(?:(?<=[\s=])|(?<=:))[A-Z](?=\s|$)")  # --replicas=N
_BEFORE = frozenset(("sudo", "xargs", "time", "env", "watch", "nohup", "$", "#"))  # stand before the program that counts
_CLIENTS = ("kubectl", "oc", "k")
_LOOKS = "get describe logs top version explain api-resources api-versions cluster-info events diff auth"
# Flags that a value follows, where a word after them is no verb and no kind.
_VALUED = (
    "-n --namespace --context --kubeconfig -l --selector -c --container -f --filename -o --output -s --server --as --user --tail "
    "--since --field-selector -L --label-columns --cluster --token -k --kustomize --type -p --patch"
)
# What changes something: kubectl's verbs are those of its reference that write.
_WRITES = (
    "apply annotate autoscale cordon create delete drain edit expose label patch replace run scale set taint uncordon adm debug "
    "cp rollout-restart rollout-undo rollout-pause rollout-resume certificate-approve certificate-deny"
)
_CHANGING = {
    **dict.fromkeys(_CLIENTS, _WRITES),
    "helm": "install upgrade uninstall delete rollback",
    "systemctl": "start stop restart reload enable disable mask unmask daemon-reload kill",
    "nvidia-smi": "-r --gpu-reset -pm --persistence-mode -mig --multi-instance-gpu -e --ecc-config -pl --power-limit",
    "sed": "-i",
    **dict.fromkeys(("apt", "apt-get", "yum", "dnf", "zypper", "snap"), "install remove upgrade update purge"),
}
_BY_FLAG = ["nvidia-smi", "sed"]  # a flag says what they change
_ALWAYS = "rm mv dd chmod chown reboot shutdown mkfs modprobe rmmod insmod kill pkill tee swapoff iptables"
_LOOKING, _WITH_VALUE, _ALWAYS_CHANGING = (frozenset(words.split()) for words in (_LOOKS, _VALUED, _ALWAYS))
_SHOWN_WHOLE = ("yaml", "json")
_SHOWN_PART = ("jsonpath", "go-template", "template", "custom-columns")


def command_problems(text: str, risk: str) -> Iterator[Problem]:
    """Yield what is wrong with a command for the risk that is stated."""
    commands = [command for piece in _PIECES.finditer(text) for command in _commands(piece)]
    shown = next((found for command in commands if (found := _secret(command))), None)
    if shown:
        yield "prints-secret", f"this prints {shown[0]}, which a customer must not send: describe names the keys alone", shown[1]
    change = next((found for command in commands if (found := _change(command))), None)
    if risk.startswith("read only") and change:
        said = f"the risk says read only, and {change.text} changes something: write changes the cluster (what)"
        yield "risk", said, change.place
    if not risk.startswith("read only") and commands and all(map(_only_looks, commands)) and ">" not in text:
        yield "harmless", "this command only looks: its risk is read only", 0
    hole = _HOLE.search(text)
    if hole:
        said = f"nobody fills {hole[0]}: write {{{{ metadata.name }}}} or another field, or a word in capitals"
        yield "open-placeholder", said, hole.start()
    letter = _LETTER.search(text)
    if letter:
        said = f"nobody knows what {letter[0]} is: write the value, or in capitals what it is, such as REPLICAS"
        yield "open-placeholder", said, letter.start()


def only_looks(text: str) -> bool:
    """Return whether a command changes nothing, as far as its words are known."""
    commands = [command for piece in _PIECES.finditer(text) for command in _commands(piece)]
    return bool(commands) and all(map(_only_looks, commands)) and ">" not in text


def _commands(piece: re.Match[str]) -> Iterator[Command]:
    """Yield the command between two of ``; & |``, and the one that it runs elsewhere (``kubectl exec … -- COMMAND``)."""
    words = [Word(found[0], piece.start() + found.start()) for found in _WORDS.finditer(piece[0])]
    while words and (words[0].text in _BEFORE or re.match(r"[A-Z_]+=", words[0].text)):
        del words[0]
    if not words:
        return
    yield words
    texts = [word.text for word in words]
    if texts[0] in _CLIENTS and "exec" in texts and "--" in texts:
        inner = words[texts.index("--") + 1 :]
        if inner:
            yield inner


def _plain(command: Command) -> list[Word]:
    """Return the words after the program that are no flags and no values of flags."""
    found: list[Word] = []
    skip = False
    for word in command[1:]:
        if skip or word.text.startswith("-"):
            skip = not skip and word.text in _WITH_VALUE
        else:
            found.append(word)
    return found


def _change(command: Command) -> Word | None:
    """Return the word that says that something is changed."""
    program = command[0].text.rpartition("/")[2]
    if program in _ALWAYS_CHANGING:
        return command[0]
    words = _CHANGING.get(program, "").split()
    if any(word.text.startswith("--dry-run") and not word.text.endswith("=none") for word in command):
        return None
    if program in _BY_FLAG:
        return next((word for word in command[1:] if word.text in words), None)
    plain = _plain(command)
    if not plain:
        return None
    both = "-".join(word.text for word in plain[:2])
    return plain[0] if plain[0].text in words or both in words else None


def _only_looks(command: Command) -> bool:
    plain = _plain(command)
    return command[0].text in _CLIENTS and bool(plain) and plain[0].text in _LOOKING


def _secret(command: Command) -> tuple[str, int] | None:
    """Return what a command shows that is secret, and where it stands."""
    program, plain = command[0].text, _plain(command)
    texts = [word.text for word in command]
    verb = plain[0].text if plain else ""
    shown = ""
    if program in _CLIENTS:
        shown = _shown_by_client(verb, plain, texts)
    elif program == "base64" and any(text in ("-d", "-D", "--decode") for text in texts):
        shown = "what was hidden by base64"
    elif program == "helm" and verb == "get" and any(word.text in ("values", "all", "manifest") for word in plain[1:2]):
        shown = "the passwords among the values of the release"
    elif program in ("env", "printenv") and len(command) == 1:
        shown = "the variables of the container"
    return (shown, command[0].place) if shown else None


def _shown_by_client(verb: str, plain: Sequence[Word], texts: Sequence[str]) -> str:
    if verb == "config" and "--raw" in texts:
        return "the keys of the kubeconfig"
    kinds = {part.partition("/")[0] for word in plain[1:] for part in word.text.split(",")}
    if not kinds & {"secret", "secrets"}:
        return ""
    if verb == "extract":
        return "every value"
    output = _output(texts)
    if verb == "get" and output in _SHOWN_WHOLE:
        return "every value"
    return "a value" if verb == "get" and output.startswith(_SHOWN_PART) and "data" in " ".join(texts) else ""


def _output(texts: Sequence[str]) -> str:
    """Return the form that -o or --output asks for; empty without one."""
    for number, text in enumerate(texts):
        if text in ("-o", "--output"):
            return texts[number + 1].strip("'\"") if number + 1 < len(texts) else ""
        for flag in ("--output=", "-o=", "-o"):
            if text.startswith(flag):
                return text.removeprefix(flag).strip("'\"")
    return ""
