/** The shared network of subscriptions: its parts, who uses them, and which of them are hot. */

export interface PlanNode {
  id: string;
  kind: string;
  label: string;
  conditions?: string[];
  inputs: string[];
  subscriptions: string[];
  waiting: number;
  served: number;
}

export interface Network {
  nodes: PlanNode[];
  left_out?: number;
}

/** What is drawn: parts, and subscriptions at the end of what they ring for. */
export interface Vertex {
  id: string;
  kind: string;
  label: string;
  /** Null for a subscription. */
  node: PlanNode | null;
}

export interface Edge {
  from: string;
  to: string;
}

export interface Graph {
  vertices: Vertex[];
  edges: Edge[];
  /** Parts that are not drawn, because there would be too many. */
  hidden: number;
}

export const MOST_PARTS = 120;
const SUBSCRIPTION = 'subscription';

/** The graph of a network, or of one subscription in it; the busiest parts where there are too many. */
export function graphOf(nodes: readonly PlanNode[], subscription: string | null, most = MOST_PARTS): Graph {
  const wanted = nodes.filter((node) => subscription === null || node.subscriptions.includes(subscription));
  const shown = wanted.length > most ? busiest(wanted, most) : wanted;
  const ids = new Set(shown.map((node) => node.id));
  const vertices: Vertex[] = shown.map((node) => ({ id: node.id, kind: node.kind, label: node.label, node }));
  const edges = shown.flatMap((node) =>
    node.inputs.filter((input) => ids.has(input)).map((input): Edge => ({ from: input, to: node.id })),
  );
  for (const [name, roots] of rootsOf(shown)) {
    if (subscription !== null && name !== subscription) continue;
    const id = `${SUBSCRIPTION}:${name}`;
    vertices.push({ id, kind: SUBSCRIPTION, label: name, node: null });
    edges.push(...roots.map((root) => ({ from: root, to: id })));
  }
  return { vertices, edges, hidden: wanted.length - shown.length };
}

/** For each subscription the parts that no other of its parts takes in. */
export function rootsOf(nodes: readonly PlanNode[]): Map<string, string[]> {
  const taken = new Map<string, Set<string>>();
  for (const node of nodes) {
    for (const name of node.subscriptions) {
      const inside = taken.get(name) ?? new Set<string>();
      node.inputs.forEach((input) => inside.add(input));
      taken.set(name, inside);
    }
  }
  const roots = new Map<string, string[]>();
  for (const node of nodes) {
    for (const name of node.subscriptions) {
      if (!taken.get(name)!.has(node.id)) roots.set(name, [...(roots.get(name) ?? []), node.id]);
    }
  }
  return roots;
}

/** The parts with most to do, and what they are made of. */
function busiest(nodes: readonly PlanNode[], most: number): PlanNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const chosen = new Set<PlanNode>();
  const take = (node: PlanNode | undefined): void => {
    if (!node || chosen.has(node)) return;
    chosen.add(node);
    node.inputs.forEach((input) => take(byId.get(input)));
  };
  for (const node of nodes.toSorted((a, b) => b.waiting - a.waiting || b.served - a.served)) {
    if (chosen.size >= most) break;
    take(node);
  }
  return [...chosen];
}

/** How many came to each part in a second, from two looks at the network. */
export function ratesOf(before: Look | null, now: Look): Map<string, number> {
  const rates = new Map<string, number>();
  const passed = before ? (now.at - before.at) / 1000 : 0;
  if (!before || passed <= 0) return rates;
  const served = new Map(before.nodes.map((node) => [node.id, node.served]));
  for (const node of now.nodes) {
    const was = served.get(node.id);
    if (was !== undefined) rates.set(node.id, Math.max(0, node.served - was) / passed);
  }
  return rates;
}

export interface Look {
  at: number;
  nodes: PlanNode[];
}

/** How hot a number is among others, from 0 to 1, on a scale on which ten times as much is one step. */
export function heat(value: number, highest: number): number {
  return value <= 0 || highest <= 0 ? 0 : Math.log1p(value) / Math.log1p(highest);
}
