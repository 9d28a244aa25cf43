/** Places for the parts of a graph, from what comes in on the left to what rings on the right. */

import { graphlib, layout } from '@dagrejs/dagre';
import type { Graph, Vertex } from './network';

export interface Placed extends Vertex {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Line {
  from: string;
  to: string;
  path: string;
}

export interface Picture {
  width: number;
  height: number;
  vertices: Placed[];
  lines: Line[];
}

const PART = { width: 214, height: 58 };
const RING = { width: 156, height: 34 };

export function placeGraph({ vertices, edges }: Graph): Picture {
  const graph = new graphlib.Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 44, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const vertex of vertices) graph.setNode(vertex.id, { ...(vertex.node ? PART : RING) });
  for (const edge of edges) graph.setEdge(edge.from, edge.to);
  layout(graph);
  const placed = vertices.map((vertex): Placed => {
    const { x, y, width, height } = graph.node(vertex.id) as Placed;
    return { ...vertex, x, y, width, height };
  });
  const byId = new Map(placed.map((vertex) => [vertex.id, vertex]));
  const lines = edges.map(({ from, to }): Line => {
    const { points } = graph.edge(from, to) as { points: Point[] };
    const between = points.length > 3 ? points.slice(1, -1) : [];
    return { from, to, path: smooth([right(byId.get(from)!), ...between, left(byId.get(to)!)]) };
  });
  const { width = 0, height = 0 } = graph.graph();
  return { width, height, vertices: placed, lines };
}

interface Point {
  x: number;
  y: number;
}

function left({ x, y, width }: Placed): Point {
  return { x: x - width / 2, y };
}

function right({ x, y, width }: Placed): Point {
  return { x: x + width / 2, y };
}

/** A line through points with soft corners. */
function smooth(points: Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.x},${first.y}`;
  let before = first;
  for (const point of rest) {
    const middle = (before.x + point.x) / 2;
    path += `C${middle},${before.y} ${middle},${point.y} ${point.x},${point.y}`;
    before = point;
  }
  return path;
}
