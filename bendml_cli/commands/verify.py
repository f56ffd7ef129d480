"""`bendml verify`: is this evidence as it was sealed?"""

from __future__ import annotations

from pathlib import Path

from bendml_cli.console import print_verification, standard_output
from bendml_cli.evidence.verify import verify


def verify_evidence(folder: Path) -> int:
    """Print what differs. Answers 0 when nothing does, else 1. Raises NotEvidence."""
    verification = verify(folder)
    print_verification(standard_output(), folder, verification)
    return 0 if verification.intact else 1
