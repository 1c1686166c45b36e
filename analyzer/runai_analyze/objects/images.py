"""Image references as containers name them: registry, repository, tag and digest, with the defaults that go without saying."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# The grammar and the defaults are those of Docker's references (github.com/distribution/reference v0.6.0), by which the kubelet
# reads them too. CRI-O may be set to look for a name without a registry elsewhere than at Docker Hub.
DOCKER_HUB = "docker.io"
_OLD_HUB = "index.docker.io"
_OFFICIAL = "library/"
_LONGEST_REPOSITORY = 255
_LONGEST_TEXT = 1024

_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,254}[a-zA-Z0-9])?"
_REGISTRY = re.compile(rf"(?P<host>{_LABEL}(?:\.{_LABEL})*|\[[a-fA-F0-9:]+\])(?::(?P<port>[0-9]+))?", re.ASCII)
_REPOSITORY = re.compile(r"[a-z0-9]++(?:(?:\.|__?|-++)[a-z0-9]++)*+(?:/[a-z0-9]++(?:(?:\.|__?|-++)[a-z0-9]++)*+)*+", re.ASCII)
_TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
_IDENTIFIER = re.compile(r"[a-f0-9]{64}", re.ASCII)
_DIGEST = re.compile(r"(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})", re.ASCII)


@dataclass(frozen=True)
class Image:
    """An image reference; ``registry`` holds the port too. What is not written: ``port`` None, ``tag`` and ``digest`` empty."""

    registry: str
    repository: str
    tag: str
    digest: str
    port: int | None = None

    @property
    def name(self) -> str:
        """Registry and repository: nvcr.io/nvidia/gpu-operator."""
        return f"{self.registry}/{self.repository}"


@lru_cache(maxsize=4096)  # a cluster runs few images, in many containers
def parse_image(text: str) -> Image:
    """Return the parts of an image reference, Docker Hub and its folder ``library`` put in where no registry is written.

    Raises ValueError for what no container runtime takes: capitals in the repository, a broken tag or digest, a bare image id.
    """
    if len(text) > _LONGEST_TEXT:
        raise ValueError(f"an image reference has at most {_LONGEST_TEXT} characters")
    if _IDENTIFIER.fullmatch(text):
        raise ValueError("the id of an image is no reference to one")
    registry, rest = _split_registry(text)
    rest, at, digest = rest.partition("@")
    repository, colon, tag = rest.partition(":")
    if registry == DOCKER_HUB and "/" not in repository:
        repository = _OFFICIAL + repository
    host = _REGISTRY.fullmatch(registry)
    if host is None:
        raise ValueError(f'"{registry}" is no registry')
    if not _REPOSITORY.fullmatch(repository):
        why = "it has capital letters" if repository != repository.lower() else "it is not in the form that registries take"
        raise ValueError(f'"{repository}" is no repository: {why}')
    if len(repository) > _LONGEST_REPOSITORY:
        raise ValueError(f"a repository has at most {_LONGEST_REPOSITORY} characters")
    if colon and not _TAG.fullmatch(tag):
        raise ValueError(f'"{tag}" is no tag')
    if at and not _DIGEST.fullmatch(digest):
        raise ValueError(f'"{digest}" is no digest')
    return Image(registry, repository, tag, digest, int(host["port"]) if host["port"] else None)


def _split_registry(text: str) -> tuple[str, str]:
    """Return the registry and the rest: what stands before the first slash is one when it looks like a host."""
    first, slash, rest = text.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost" or first != first.lower()):
        return DOCKER_HUB, text
    return (DOCKER_HUB if first == _OLD_HUB else first), rest
