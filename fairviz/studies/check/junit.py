"""Limits as a JUnit file, which continuous integration shows beside its tests."""

from collections.abc import Sequence
from xml.etree import ElementTree

from fairviz.errors import printable
from fairviz.points.limits import Judged, words_of


def junit_text(rows: Sequence[Judged], *, strict: bool) -> str:
    """A test case per limit and system: a failure where it is broken, skipped where nobody can tell.

    Args:
        rows: What became of the limits.
        strict: Whether what nobody can tell is a failure, too.
    """
    failed = {"broken"} | ({"cannot tell"} if strict else set[str]())
    n_failed = sum(row.outcome in failed for row in rows)
    n_skipped = sum(row.outcome == "cannot tell" for row in rows) if not strict else 0
    counts = {"tests": str(len(rows)), "failures": str(n_failed), "skipped": str(n_skipped)}
    suite = ElementTree.Element("testsuite", name="fairviz check", **counts)
    for row in rows:
        case = ElementTree.SubElement(
            suite, "testcase", classname=printable(row.system), name=printable(row.limit.text)
        )
        if row.outcome in failed:
            ElementTree.SubElement(case, "failure", message=printable(words_of(row)))
        elif row.outcome == "cannot tell":
            ElementTree.SubElement(case, "skipped", message=printable(words_of(row)))
    ElementTree.indent(suite)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(suite, encoding="unicode")}\n'
