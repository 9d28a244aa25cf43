"""The answers to LUBM's queries from the records of drawn universities: lookups, and no RDF."""

from __future__ import annotations

from typing import TypeAlias

from tests.engine.graphs.universities import DEGREES, Records, university_iri

Answer: TypeAlias = tuple[str, ...]


def recorded_answers(records: Records) -> tuple[set[Answer], ...]:
    """Return the answers of the fourteen queries, in the order of the queries."""
    members, university_of = records.members, records.university_of
    university = university_iri(0)
    department = f"http://www.Department0.{university.removeprefix('http://www.')}"
    students = [each for each in members if each.is_student]
    graduates = [each for each in members if each.kind == "GraduateStudent"]
    here = [each for each in members if each.department == department]
    taught = {each.iri: each.teaches for each in members}
    first_course: set[Answer] = {
        (each.iri,) for each in students if f"{department}/GraduateCourse0" in each.takes
    }
    of_associate = taught[f"{department}/AssociateProfessor0"]
    return (
        first_course,
        {
            (each.iri, home, each.department)
            for each in graduates
            if each.degrees[DEGREES[0]] == (home := university_of[each.department])
        },
        {
            (paper,)
            for paper, authors in records.authors.items()
            if f"{department}/AssistantProfessor0" in authors
        },
        {(each.iri,) for each in here if each.is_professor},
        {(each.iri,) for each in here},
        {(each.iri,) for each in students},
        {
            (each.iri, course)
            for each in students
            for course in each.takes
            if course in of_associate
        },
        {
            (each.iri, each.department)
            for each in students
            if university_of[each.department] == university
        },
        {
            (each.iri, each.advisor, course)
            for each in students
            for course in each.takes
            if course in taught.get(each.advisor, ())
        },
        first_course,
        {
            (group,)
            for group, part in records.department_of.items()
            if university_of[part] == university
        },
        {
            (each.iri, each.department)
            for each in members
            if each.is_head and university_of[each.department] == university
        },
        {(each.iri,) for each in members if university in each.degrees.values()},
        {(each.iri,) for each in members if each.kind == "UndergraduateStudent"},
    )
