"""Universities drawn by the rules of UBA, the data generator of LUBM.

The rules are the data profile that the benchmark publishes (Guo, Pan and Heflin, "LUBM: a benchmark
for OWL knowledge base systems", 2005). Numbers for each person, such as courses or students for
each teacher, are the published ones; what a university or department has of each kind is divided
by `share`, so that a university fits into one event. The draws are our own, not those of UBA.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from tests.engine.graphs.lubm import SPACE
from tocsin.values.terms import RDF_TYPE, Iri, Literal, Term, Triple

Range: TypeAlias = tuple[int, int]

DEPARTMENTS_OF_UNIVERSITY: Range = (15, 25)
GROUPS_OF_DEPARTMENT: Range = (10, 20)
FACULTY_OF_DEPARTMENT: dict[str, Range] = {
    "FullProfessor": (7, 10),
    "AssociateProfessor": (10, 14),
    "AssistantProfessor": (8, 11),
    "Lecturer": (5, 7),
}
PUBLICATIONS_OF_AUTHOR: dict[str, Range] = {
    "FullProfessor": (15, 20),
    "AssociateProfessor": (10, 18),
    "AssistantProfessor": (5, 10),
    "Lecturer": (0, 5),
    "GraduateStudent": (0, 5),
}
COURSES_OF_TEACHER: Range = (1, 2)
"""Of each kind, `Course` and `GraduateCourse`; no course has two teachers."""

STUDENTS_OF_TEACHER = {"UndergraduateStudent": (8, 14), "GraduateStudent": (3, 4)}
COURSES_OF_STUDENT = {"UndergraduateStudent": (2, 4), "GraduateStudent": (1, 3)}
COURSE_OF_STUDENT = {"UndergraduateStudent": "Course", "GraduateStudent": "GraduateCourse"}
UNDERGRADUATES_FOR_ONE_WITH_ADVISOR = 5
GRADUATES_FOR_ONE_TEACHING_ASSISTANT: Range = (4, 5)
GRADUATES_FOR_ONE_RESEARCH_ASSISTANT: Range = (3, 4)

DEGREES = ("undergraduateDegreeFrom", "mastersDegreeFrom", "doctoralDegreeFrom")
UNIVERSITIES_WITH_DEGREES = 10
"""UBA draws among 1,000: with that, few of a small event would have studied where they are."""


@dataclass(slots=True)
class Member:
    """A member of a department."""

    iri: str
    kind: str
    department: str
    degrees: dict[str, str]
    teaches: list[str] = field(default_factory=list)
    takes: list[str] = field(default_factory=list)
    advisor: str = ""
    assists: str = ""
    is_head: bool = False
    is_research_assistant: bool = False

    @property
    def is_professor(self) -> bool:
        """True if the member is a professor of any rank."""
        return self.kind.endswith("Professor")

    @property
    def is_student(self) -> bool:
        """True if the member is an undergraduate or a graduate."""
        return self.kind in STUDENTS_OF_TEACHER


@dataclass(slots=True)
class Records:
    """All that was drawn."""

    university_of: dict[str, str] = field(default_factory=dict)
    """Of each department."""
    department_of: dict[str, str] = field(default_factory=dict)
    """Of each research group."""
    kind_of_course: dict[str, str] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)
    authors: dict[str, list[str]] = field(default_factory=dict)
    """Of each publication."""


def draw_universities(seed: int, universities: int = 2, share: int = 7) -> Records:
    """Return the records of some universities, the same for the same numbers."""
    random, records = Random(seed), Records()
    for number in range(universities):
        university = university_iri(number)
        for index in range(_draw(random, DEPARTMENTS_OF_UNIVERSITY, share)):
            department = f"http://www.Department{index}.University{number}.edu"
            records.university_of[department] = university
            _Department(records, random, department, share).draw()
    return records


def university_iri(number: int) -> str:
    """Return the address of a university."""
    return f"http://www.University{number}.edu"


def _draw(random: Random, between: Range, share: int = 1) -> int:
    """Return a number of the range; where it is divided, one at least."""
    low, high = (each if share == 1 else max(1, round(each / share)) for each in between)
    return random.randint(low, high)


class _Department:
    """The draws of one department."""

    def __init__(self, records: Records, random: Random, iri: str, share: int) -> None:
        self._records, self._random, self._iri, self._share = records, random, iri, share
        self._courses: dict[str, list[str]] = {"Course": [], "GraduateCourse": []}

    def draw(self) -> None:
        """Add the department with all that belongs to it to the records."""
        for number in range(_draw(self._random, GROUPS_OF_DEPARTMENT, self._share)):
            self._records.department_of[f"{self._iri}/ResearchGroup{number}"] = self._iri
        faculty = [
            self._hire(kind, number)
            for kind, between in FACULTY_OF_DEPARTMENT.items()
            for number in range(_draw(self._random, between, self._share))
        ]
        heads = [each for each in faculty if each.kind == "FullProfessor"]
        self._random.choice(heads).is_head = True
        professors = [each for each in faculty if each.is_professor]
        students = {
            kind: self._enrol(kind, self._draw_sum(len(faculty), between), professors)
            for kind, between in STUDENTS_OF_TEACHER.items()
        }
        self._employ_assistants(students["GraduateStudent"])
        self._publish(faculty, professors, students["GraduateStudent"])
        self._records.members += [*faculty, *(each for some in students.values() for each in some)]

    def _draw_sum(self, count: int, between: Range) -> int:
        return self._random.randint(count * between[0], count * between[1])

    def _member(self, kind: str, number: int, degrees: tuple[str, ...]) -> Member:
        of = {
            each: university_iri(self._random.randrange(UNIVERSITIES_WITH_DEGREES))
            for each in degrees
        }
        return Member(f"{self._iri}/{kind}{number}", kind, self._iri, of)

    def _hire(self, kind: str, number: int) -> Member:
        teacher = self._member(kind, number, DEGREES)
        for course, courses in self._courses.items():
            for _ in range(_draw(self._random, COURSES_OF_TEACHER)):
                iri = f"{self._iri}/{course}{len(courses)}"
                self._records.kind_of_course[iri] = course
                courses.append(iri)
                teacher.teaches.append(iri)
        return teacher

    def _enrol(self, kind: str, count: int, professors: list[Member]) -> list[Member]:
        is_graduate = kind == "GraduateStudent"
        courses = self._courses[COURSE_OF_STUDENT[kind]]
        students = []
        for number in range(count):
            student = self._member(kind, number, DEGREES[:1] if is_graduate else ())
            student.takes = self._random.sample(
                courses, min(len(courses), _draw(self._random, COURSES_OF_STUDENT[kind]))
            )
            if is_graduate or self._random.randrange(UNDERGRADUATES_FOR_ONE_WITH_ADVISOR) == 0:
                student.advisor = self._random.choice(professors).iri
            students.append(student)
        return students

    def _employ_assistants(self, graduates: list[Member]) -> None:
        courses = self._courses["Course"]
        low, high = GRADUATES_FOR_ONE_TEACHING_ASSISTANT
        count = self._random.randint(len(graduates) // high, len(graduates) // low)
        # each assists with a course of their own
        count = min(count, len(courses))
        chosen = self._random.sample(courses, count)
        for student, course in zip(self._random.sample(graduates, count), chosen, strict=True):
            student.assists = course
        low, high = GRADUATES_FOR_ONE_RESEARCH_ASSISTANT
        count = self._random.randint(len(graduates) // high, len(graduates) // low)
        for student in self._random.sample(graduates, count):
            student.is_research_assistant = True

    def _publish(
        self, faculty: list[Member], professors: list[Member], graduates: list[Member]
    ) -> None:
        """Graduates are authors beside professors, of what these publish."""
        authors = self._records.authors
        for author in faculty:
            for number in range(_draw(self._random, PUBLICATIONS_OF_AUTHOR[author.kind])):
                authors[f"{author.iri}/Publication{number}"] = [author.iri]
        by_professors = [
            paper for each in professors for paper, by in authors.items() if by[0] == each.iri
        ]
        for student in graduates:
            count = _draw(self._random, PUBLICATIONS_OF_AUTHOR[student.kind])
            for paper in self._random.sample(by_professors, min(count, len(by_professors))):
                authors[paper].append(student.iri)


def triples_of(records: Records) -> Iterator[Triple]:
    """Yield the statements that UBA writes, without what LUBM has its reader conclude.

    UBA also says that a head works for the department; here that follows from heading it.
    """
    universities = {each for member in records.members for each in member.degrees.values()}
    for university in sorted(universities | set(records.university_of.values())):
        yield from _said(university, "University", {})
    for department, university in records.university_of.items():
        yield from _said(department, "Department", {"subOrganizationOf": [university]})
    for group, department in records.department_of.items():
        yield from _said(group, "ResearchGroup", {"subOrganizationOf": [department]})
    for course, kind in records.kind_of_course.items():
        yield from _said(course, kind, {})
    for member in records.members:
        yield from _member_triples(member)
    for paper, authors in records.authors.items():
        yield from _said(paper, "Publication", {"publicationAuthor": authors})


def _said(iri: str, kind: str, values: dict[str, list[str]]) -> Iterator[Triple]:
    """Yield the class of a resource, and the resources that it points to."""
    yield Iri(iri), RDF_TYPE, Iri(SPACE + kind)
    for name, each in values.items():
        for value in each:
            yield Iri(iri), SPACE + name, Iri(value)


def _member_triples(member: Member) -> Iterator[Triple]:
    is_employed = "headOf" if member.is_head else "worksFor"
    values = {
        "memberOf" if member.is_student else is_employed: [member.department],
        "teacherOf": member.teaches,
        "takesCourse": member.takes,
        "advisor": [member.advisor] if member.advisor else [],
        "teachingAssistantOf": [member.assists] if member.assists else [],
        **{name: [university] for name, university in member.degrees.items()},
    }
    yield from _said(member.iri, member.kind, values)
    if member.assists:
        yield from _said(member.iri, "TeachingAssistant", {})
    if member.is_research_assistant:
        yield from _said(member.iri, "ResearchAssistant", {})
    name = member.iri.rpartition("/")[2]
    literals: dict[str, Term] = {
        "name": Literal(name),
        "emailAddress": Literal(f"{name}@{member.department.removeprefix('http://www.')}"),
        "telephone": Literal("xxx-xxx-xxxx"),
    }
    for prop, value in literals.items():
        yield Iri(member.iri), SPACE + prop, value
