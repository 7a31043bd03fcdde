"""Shows a stream to the checks, line by line, in memory that does not depend on its length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from git_asr.asr import codec
from git_asr.asr.version import SUPPORTED_MAJOR, major
from git_asr.validation import shapes
from git_asr.validation.base import (
    Check,
    Finding,
    HeaderCheck,
    LineCheck,
    RecordCheck,
    StreamCheck,
)
from git_asr.validation.course import Course
from git_asr.validation.findings import cut
from git_asr.validation.lines import Line, lines, value

Report = Callable[[Finding], None]


class Streams:
    """Runs checks over streams, and reports what they find.

    A check of a shape (level ``syntax``) looks at what has not the shape of its schema, all other checks at what has.
    """

    def __init__(self, checks: Sequence[Check], report: Report) -> None:
        self._report = report
        self._lines = [one for one in checks if isinstance(one, LineCheck)]
        self._headers = [one for one in checks if isinstance(one, HeaderCheck)]
        self._records = [one for one in checks if isinstance(one, RecordCheck) and one.level != "syntax"]
        self._shapes = [one for one in checks if isinstance(one, RecordCheck) and one.level == "syntax"]
        self._streams = [one for one in checks if isinstance(one, StreamCheck)]
        self._by_type: dict[str, list[RecordCheck]] = {}
        self._sound = shapes.record()
        self._sound_header = shapes.header()

    def check(self, course: Course, files: Iterable[tuple[str, Iterable[bytes]]]) -> None:
        """Read a stream of joined files, and fill its course."""
        first = course.file
        begun = False
        for line in lines(files):
            if course.major is not None:
                continue  # the files are read for their digests
            found = self._value(line)
            if not begun and isinstance(found, dict) and found.get("type") == "header":
                self._header(course, line, found)
            elif isinstance(found, dict):
                self._record(course, line, found)
            begun = True
        course.file = first
        for check in self._streams:
            for message in check.find(course):
                self._report(Finding(check.name, check.level, first, None, None, cut(message)))

    def _value(self, line: Line) -> Any:
        """What a line says; what is wrong with it as a line is reported."""
        if line.ended and line.whole and not line.cut:
            try:
                found = codec.strict(line.data)
            except ValueError:
                pass
            else:
                if type(found) is dict:
                    return found
        for check in self._lines:
            message = check.find(line)
            if message is not None:
                self._report(Finding(check.name, check.level, line.file, line.number, None, cut(message)))
        return None if line.cut else value(line)

    def _header(self, course: Course, line: Line, header: dict[str, Any]) -> None:
        found = major(header.get("formatVersion"))
        if found is not None and found != SUPPORTED_MAJOR:
            course.major = str(header["formatVersion"])
            return
        sound = self._sound_header(header) is None
        if sound:
            course.note_header(header)
        else:
            course.unsound = True
        for check in self._headers:
            if (check.level == "syntax") is not sound:
                for message in check.find(header, course):
                    self._report(Finding(check.name, check.level, line.file, line.number, None, cut(message)))

    def _record(self, course: Course, line: Line, record: dict[str, Any]) -> None:
        course.file, course.data = line.file, line.data
        if self._sound(record) is not None:
            self._show(self._shapes, course, line, record)
            course.note_unsound(record)
            return
        kind = record["type"]
        checks = self._by_type.get(kind)
        if checks is None:
            checks = [one for one in self._records if one.types is None or kind in one.types]
            if len(self._by_type) < 1000:
                self._by_type[kind] = checks
        self._show(checks, course, line, record)
        course.note(record)

    def _show(
        self, checks: Iterable[RecordCheck], course: Course, line: Line, record: dict[str, Any]
    ) -> None:
        for check in checks:
            if check.field is not None and check.field not in record:
                continue
            message = check.find(record, course)
            if message is not None:
                named = record.get("id")
                identifier = named[:400] if isinstance(named, str) else None
                self._report(
                    Finding(check.name, check.level, line.file, line.number, identifier, cut(message))
                )
