"""The programs in the packages' READMEs check as they stand."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from bendml_cli.bend2.api import check_file

BEND = Path(__file__).parents[2] / "bend"
PROGRAMS = [
    pytest.param(program, id=f"{readme.parent.name}-{index}")
    for readme in sorted(BEND.glob("*/README.md"))
    for index, program in enumerate(re.findall(r"```\n(import Base\n.*?)```", readme.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_program_in_readme_checks(program: str, tmp_path: Path) -> None:
    for main in BEND.glob("*/main.bend"):
        (tmp_path / main.parent.name).mkdir()
        for source in main.parent.glob("*.bend"):
            shutil.copy(source, tmp_path / main.parent.name)
    (tmp_path / "mine").mkdir()
    file = tmp_path / "mine/program.bend"
    file.write_text(program)
    report = check_file(file)
    assert report.accepted, report.error


def test_every_package_shows_a_program() -> None:
    assert len(PROGRAMS) >= len(list(BEND.glob("*/main.bend")))
