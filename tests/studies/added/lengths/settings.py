"""What the count of queries can be set to."""

from dataclasses import dataclass

from fairviz.studies.study import Settings, option


@dataclass(frozen=True, kw_only=True)
class LengthsSettings(Settings):
    """Which queries count."""

    least: int = option(1, "documents that a query has at least", low=1)


SETTINGS = LengthsSettings
