"""fairviz in pytest: a fixture that holds systems to limits, and a summary that says what became of each.

pytest loads it wherever fairviz is installed; fairviz itself is loaded when a test calls the fixture.
"""

from collections.abc import Callable
from typing import Any

import pytest

PROPERTY = "fairviz limit"
"""Of a test: a limit and what became of it; it is in a JUnit file, and comes from processes of pytest-xdist."""


@pytest.fixture
def fairviz_check(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Calls :func:`fairviz.check`, with the limits first, and fails the test where one is broken.

    It takes what :func:`fairviz.assert_within` takes, and returns what :func:`fairviz.check` does.
    """

    def check(limits: Any, /, *args: Any, **kwargs: Any) -> Any:
        from fairviz.api.functions import check as checked
        from fairviz.api.made import refuse_broken
        from fairviz.points.limits import words_of

        result: Any = checked(*args, limits=limits, **kwargs)
        request.node.user_properties += [(PROPERTY, words_of(row)) for row in result.analysis.judged]
        refuse_broken(result)
        return result

    return check


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Every limit that was held to: whether it holds, is broken, or cannot be told."""
    reports = [report for some in terminalreporter.stats.values() for report in some]
    of_test = {report.nodeid: report.user_properties for report in reports if hasattr(report, "user_properties")}
    lines = [line for properties in of_test.values() for name, line in properties if name == PROPERTY]
    if lines:
        terminalreporter.section("limits of fairviz")
        for line in lines:
            terminalreporter.write_line(line)
