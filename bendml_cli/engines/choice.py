"""The values of `--engine`; apart from the engines, so that `bendml --help` need not load them."""

from enum import StrEnum


class EngineChoice(StrEnum):
    """Which engines judge: one by name, both, or the best there is."""

    AUTO = "auto"
    BEND = "bend"
    EMBEDDED = "embedded"
    BOTH = "both"
