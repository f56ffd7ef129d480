"""The schemas of the evidence files. Reading with these models is validating."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from bendml_cli.suites.case import Status

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Record(BaseModel):
    """A part of an evidence file: no unknown fields, never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class EngineFacts(Record):
    """An engine of the run. `digest` identifies its code."""

    name: str
    version: str
    digest: Sha256 | None = None


class HostFacts(Record):
    """The machine, as far as it matters to a result; it is not named."""

    system: str
    machine: str
    cpu: str
    cores: int | None
    threads: int | None
    memory_bytes: int
    load_average: list[float]
    python: str


class GitFacts(Record):
    """The checkout that was judged. `dirty`: files differed from the commit."""

    commit: str
    dirty: bool


class Counts(Record):
    """How many cases turned out how."""

    passed: int = 0
    failed: int = 0
    error: int = 0
    skipped: int = 0

    @property
    def verdict(self) -> Literal["passed", "failed"]:
        """What the counts amount to: a run in which nothing passed has not passed."""
        return "passed" if self.passed and not self.failed and not self.error else "failed"

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.error + self.skipped


class Manifest(Record):
    """manifest.json: what ran, with what, where, when, and how it ended."""

    format: Literal["bendml-evidence-1"] = "bendml-evidence-1"
    command: list[str]
    bendml: str
    git: GitFacts | None
    suites: list[str]
    engine_choice: str
    engines: list[EngineFacts]
    without_bend: str | None
    with_bend: str | None = None
    host: HostFacts
    started: AwareDatetime
    ended: AwareDatetime | None = None
    seconds: float | None = None
    counts: Counts = Counts()
    verdict: Literal["passed", "failed", "running", "interrupted"]


class EngineVerdict(Record):
    """One engine's answer to one case. `verdict` is null when it gave none: `failure` says why, or is null too where a
    program was built or run, and no verdict asked for. User and system time
    are known for Bend only; together they are its `cpu_seconds`."""

    engine: str
    file: str
    verdict: str | None
    failure: str | None
    cached: bool
    seconds: float
    cpu_seconds: float | None
    user_seconds: float | None = None
    system_seconds: float | None = None
    peak_resident_bytes: int | None


class ResultRecord(Record):
    """A line of results.jsonl. `engine` names the engines that were asked, joined by `+`; null when none was."""

    suite: str
    id: str
    kind: str
    status: Status
    engine: str | None
    seconds: float
    cpu_seconds: float | None
    peak_resident_bytes: int | None
    detail: str
    verdicts: list[EngineVerdict]


class Digests(Record):
    sha256: Sha256


class Subject(Record):
    """A Bend source that the run judged, by its path from the project's root."""

    name: str
    digest: Digests


class TestResult(Record):
    """The predicate: the in-toto test-result predicate, v0.1. Skipped cases are its warned tests."""

    __test__ = False

    result: Literal["PASSED", "WARNED", "FAILED"]
    configuration: list[Subject]
    passed_tests: list[str] = Field(alias="passedTests")
    warned_tests: list[str] = Field(alias="warnedTests")
    failed_tests: list[str] = Field(alias="failedTests")


class Statement(Record):
    """attestation.json: an in-toto Statement about the Bend sources."""

    type: Literal["https://in-toto.io/Statement/v1"] = Field(default="https://in-toto.io/Statement/v1", alias="_type")
    subject: list[Subject] = Field(min_length=1)
    predicate_type: Literal["https://in-toto.io/attestation/test-result/v0.1"] = Field(
        default="https://in-toto.io/attestation/test-result/v0.1", alias="predicateType"
    )
    predicate: TestResult
