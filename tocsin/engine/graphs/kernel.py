"""The kernels: rule out shapes by links and constants, and search a map of each remaining shape.

A record of a shape is: number of positions, number of steps, mode of difference; then the content
of each position (0 home, -1 a variable, n + 1 the constant n); then for each step its subject,
object, link, flag if it binds, and base. Pairs of vertices are sorted within each link, which has
them from `first` up to `last`.
"""

from __future__ import annotations

from tocsin.engine.index.kernels import Flags, Ints, compiled, inlined

HEADER = 3
STEP = 5
NONE_DIFFER, RESOURCES_DIFFER, ALL_DIFFER = 0, 1, 2
NO, YES, UNDECIDED = 0, 1, 2


@compiled
def refute(
    candidates: Ints,
    pool: Ints,
    starts: Ints,
    first: Ints,
    last: Ints,
    at_home: Flags,
    images: Ints,
    wanted: Flags,
    left: Ints,
) -> int:
    """Keep in `left` the candidates whose constants and base links the event has; mark their other
    links.

    The other links are marked in `wanted`. Returns the number of candidates kept.
    """
    count = 0
    for candidate in candidates:
        start = starts[candidate]
        positions, steps = pool[start], pool[start + 1]
        start += HEADER
        fine = True
        for place in range(start, start + positions):
            if pool[place] > 0 and images[pool[place] - 1] < 0:
                fine = False
                break
        start += positions
        for place in range(start, start + steps * STEP, STEP):
            base = pool[place + 4]
            if not fine:
                break
            if base >= 0 and (
                first[base] == last[base] or (pool[place] == 0 and not at_home[base])
            ):
                fine = False
        if fine:
            left[count] = candidate
            count += 1
            for place in range(start, start + steps * STEP, STEP):
                if pool[place + 2] != pool[place + 4]:
                    wanted[pool[place + 2]] = True
    return count


@inlined
def _reaching(subjects: Ints, low: int, high: int, subject: int) -> int:
    """Return the first index from low up to high whose subject is not smaller."""
    while low < high:
        middle = (low + high) >> 1
        if subjects[middle] < subject:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def _linked(subjects: Ints, objects: Ints, low: int, high: int, subject: int, target: int) -> bool:
    """True if the pair is among those from low up to high."""
    low = _reaching(subjects, low, high, subject)
    high = _reaching(subjects, low, high, subject + 1)
    place = _reaching(objects, low, high, target)
    return place < high and objects[place] == target


@inlined
def _settled(
    pool: Ints,
    start: int,
    positions: int,
    differ: int,
    images: Ints,
    literal: Flags,
    used: Flags,
    image: Ints,
) -> bool:
    """Assign home and the constants their images; True if they are as distinct as required."""
    fine = True
    for position in range(positions):
        code = pool[start + position]
        vertex = -1
        if code == 0:
            vertex = 0
        elif code > 0:
            vertex = images[code - 1]
        image[position] = vertex
        if vertex >= 0 and (
            differ == ALL_DIFFER or (differ == RESOURCES_DIFFER and not literal[vertex])
        ):
            if used[vertex]:
                fine = False
            used[vertex] = True
    return fine


@compiled
def search(
    left: Ints,
    pool: Ints,
    starts: Ints,
    first: Ints,
    last: Ints,
    subjects: Ints,
    objects: Ints,
    images: Ints,
    literal: Flags,
    used: Flags,
    image: Ints,
    cursor: Ints,
    budget: int,
    answers: Ints,
) -> int:
    """Decide if each shape has a map, within `budget` steps each; return all steps taken."""
    total = 0
    for number in range(len(left)):
        start = starts[left[number]]
        positions, steps, differ = pool[start], pool[start + 1], pool[start + 2]
        program = start + HEADER + positions
        depth, spent, answer = 0, 0, NO
        if not _settled(pool, start + HEADER, positions, differ, images, literal, used, image):
            depth = -1
        cursor[0] = -1
        while depth >= 0:
            if depth == steps:
                answer = YES
                break
            spent += 1
            if spent > budget:
                answer = UNDECIDED
                break
            row = program + depth * STEP
            subject, target, link = image[pool[row]], pool[row + 1], pool[row + 2]
            forward = False
            if not pool[row + 3]:
                if cursor[depth] < 0 and _linked(
                    subjects, objects, first[link], last[link], subject, image[target]
                ):
                    cursor[depth] = 0
                    forward = True
            else:
                place = cursor[depth]
                if place < 0:
                    place = _reaching(subjects, first[link], last[link], subject)
                else:
                    used[image[target]] = False
                    place += 1
                while place < last[link] and subjects[place] == subject:
                    vertex = objects[place]
                    if not used[vertex]:
                        image[target] = vertex
                        if differ == ALL_DIFFER or (
                            differ == RESOURCES_DIFFER and not literal[vertex]
                        ):
                            used[vertex] = True
                        cursor[depth] = place
                        forward = True
                        break
                    place, spent = place + 1, spent + 1
            if forward:
                depth += 1
                cursor[depth] = -1
            else:
                depth -= 1
        for position in range(positions):
            if image[position] >= 0:
                used[image[position]] = False
        total += spent
        answers[number] = answer
    return total


@compiled
def spread(shapes: Ints, lists: Ints, starts: Ints, counts: Ints, pool: Ints, slots: Ints) -> int:
    """Write the subscriptions of the shapes, one list after the other; return their number."""
    count = 0
    for shape in shapes:
        start = starts[lists[shape]]
        for place in range(start, start + counts[lists[shape]]):
            slots[count] = pool[place]
            count += 1
    return count
