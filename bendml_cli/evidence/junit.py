"""junit.xml, which continuous integration systems show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from xml.etree import ElementTree as Xml

from bendml_cli.evidence.models import ResultRecord
from bendml_cli.evidence.results import count
from bendml_cli.suites.case import Status

# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(records: Sequence[ResultRecord]) -> bytes:
    """The results as JUnit XML: one test suite per suite, one test case per case."""
    root = Xml.Element("testsuites", _attributes("bendml", records))
    for suite, group in groupby(sorted(records, key=lambda r: r.suite), key=lambda r: r.suite):
        members = list(group)
        element = Xml.SubElement(root, "testsuite", _attributes(suite, members))
        for record in members:
            case = Xml.SubElement(
                element,
                "testcase",
                classname=f"{suite}.{record.kind}",
                name=record.id,
                time=f"{record.seconds:.3f}",
            )
            detail = _NO_XML.sub("\ufffd", record.detail)
            match record.status:
                case Status.FAILED:
                    Xml.SubElement(case, "failure", message=detail)
                case Status.ERROR:
                    Xml.SubElement(case, "error", message=detail)
                case Status.SKIPPED:
                    Xml.SubElement(case, "skipped", message=detail)
                case Status.PASSED:
                    Xml.SubElement(case, "system-out").text = f"{record.engine or 'no engine'}: {detail}"
    Xml.indent(root)
    return bytes(Xml.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def cases_of(root: Xml.Element) -> list[tuple[str, ...]]:
    """What a JUnit XML says: the counts of each suite; each case with what became of it."""
    counted = [
        tuple(suite.get(name, "") for name in ("name", "tests", "failures", "errors", "skipped"))
        for suite in root.iter()
        if suite.tag in {"testsuites", "testsuite"}
    ]
    cases = [
        (case.get("classname", ""), case.get("name", ""), *(child.tag for child in case))
        for case in root.iter("testcase")
    ]
    return counted + cases


def _attributes(name: str, records: Sequence[ResultRecord]) -> dict[str, str]:
    counts = count(records)
    return {
        "name": name,
        "tests": str(counts.total),
        "failures": str(counts.failed),
        "errors": str(counts.error),
        "skipped": str(counts.skipped),
        "time": f"{sum(record.seconds for record in records):.3f}",
    }
