import type { KnownClass } from '../api';

/** A class below one of its parents. A class with several parents stands below each of them. */
export interface ClassTree {
  known: KnownClass;
  children: ClassTree[];
}

/** The name of a class: its label, or the end of its IRI. */
export function nameOf(known: KnownClass): string {
  return known.label || known.iri.replace(/[>/#]+$/, '').replace(/^.*[/#:]/, '') || known.iri;
}

/** The trees of all classes, by name; with a text, only what leads to a class with it in its name. */
export function buildTree(classes: KnownClass[], text = ''): ClassTree[] {
  const sorted = [...classes].sort((one, other) => nameOf(one).localeCompare(nameOf(other)));
  const iris = new Set(classes.map((each) => each.iri));
  const below = new Map<string, KnownClass[]>();
  for (const known of sorted)
    for (const parent of known.parents) below.set(parent, [...(below.get(parent) ?? []), known]);
  const word = text.trim().toLowerCase();

  const grow = (known: KnownClass, above: Set<string>): ClassTree | null => {
    const way = new Set([...above, known.iri]);
    const isWanted = !word || nameOf(known).toLowerCase().includes(word);
    const children = (below.get(known.iri) ?? [])
      .filter((child) => !way.has(child.iri))
      .map((child) => grow(child, way))
      .filter((child) => child !== null);
    return isWanted || children.length ? { known, children } : null;
  };

  const roots = sorted.filter((known) => !known.parents.some((parent) => iris.has(parent) && parent !== known.iri));
  const reached = new Set<string>();
  const reach = (iri: string) => {
    if (reached.has(iri)) return;
    reached.add(iri);
    for (const child of below.get(iri) ?? []) reach(child.iri);
  };
  roots.forEach((root) => reach(root.iri));
  // Classes that are equal to each other are special cases of each other: none of them is a root.
  for (const known of sorted)
    if (!reached.has(known.iri)) {
      roots.push(known);
      reach(known.iri);
    }
  return roots.map((root) => grow(root, new Set())).filter((tree) => tree !== null);
}
