/** The network as a graph that is moved, zoomed and walked through with the tab key. */

import type { ComponentChildren } from 'preact';
import { select } from 'd3-selection';
import { zoom, zoomIdentity, type ZoomBehavior } from 'd3-zoom';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { placeGraph, type Placed } from './layout';
import { heat, type Graph } from './network';

interface PlanGraphProps {
  graph: Graph;
  rates: ReadonlyMap<string, number>;
  chosen: string | null;
  choose: (id: string) => void;
  /** The height in pixels at most. */
  tallest: number;
  /** What stands below it. */
  children: ComponentChildren;
}

/** Smaller than this nothing can be read; what has no room is moved to. */
const LEAST = 0.6;
const CHARACTERS = 29;
const RING_CHARACTERS = 20;

export function PlanGraph({ graph, rates, chosen, choose, tallest, children }: PlanGraphProps) {
  const svg = useRef<SVGSVGElement>(null);
  const [moved, setMoved] = useState(zoomIdentity);
  const behaviour = useRef<ZoomBehavior<SVGSVGElement, unknown>>();
  const shape =
    graph.vertices.map((each) => each.id).join() + graph.edges.map((each) => each.from + each.to).join();
  const picture = useMemo(() => placeGraph(graph), [shape]);
  const height = Math.max(260, Math.min(tallest, picture.height + 48));
  const byId = new Map(graph.vertices.map((each) => [each.id, each]));
  const near = useMemo(() => neighbours(graph, chosen), [shape, chosen]);
  const most = {
    waiting: Math.max(0, ...graph.vertices.map((each) => each.node?.waiting ?? 0)),
    rate: Math.max(0, ...rates.values()),
    served: Math.max(0, ...graph.vertices.map((each) => each.node?.served ?? 0)),
  };

  useEffect(() => {
    const element = svg.current!;
    const found = zoom<SVGSVGElement, unknown>()
      .scaleExtent([0.15, 3])
      .on('zoom', (event: { transform: typeof zoomIdentity }) => setMoved(event.transform));
    behaviour.current = found;
    select(element).call(found).on('dblclick.zoom', null);
    return () => void select(element).on('.zoom', null);
  }, []);

  const fit = (): void => {
    const element = svg.current!;
    const scale = Math.max(LEAST, Math.min(1, element.clientWidth / picture.width, height / picture.height));
    const x = Math.max(0, (element.clientWidth - picture.width * scale) / 2);
    const y = Math.max(0, (height - picture.height * scale) / 2);
    select(element).call(behaviour.current!.transform, zoomIdentity.translate(x, y).scale(scale));
  };
  useEffect(fit, [picture]);

  function centre(vertex: Placed): void {
    const element = svg.current!;
    const [x, y] = moved.apply([vertex.x, vertex.y]);
    if (x > 0 && y > 0 && x < element.clientWidth && y < height) return;
    select(element).call(behaviour.current!.translateTo, vertex.x, vertex.y);
  }

  function zoomBy(factor: number): void {
    select(svg.current!).call(behaviour.current!.scaleBy, factor);
  }

  return (
    <div class="plan-holder">
      <svg
        ref={svg}
        class="plan-graph"
        height={height}
        role="group"
        aria-label="Network of all subscriptions"
      >
        <g transform={moved.toString()}>
          {picture.lines.map((line) => (
            <path
              key={`${line.from} ${line.to}`}
              d={line.path}
              class={near.has(line.from) && near.has(line.to) ? 'plan-line plan-near' : 'plan-line'}
            />
          ))}
          {picture.vertices.map((vertex) => {
            const node = byId.get(vertex.id)?.node ?? null;
            const rate = rates.get(vertex.id);
            const warmth =
              rate !== undefined && most.rate > 0
                ? heat(rate, most.rate)
                : heat(node?.served ?? 0, most.served);
            return (
              <g
                key={vertex.id}
                class={classOf(vertex, chosen, near)}
                transform={`translate(${vertex.x - vertex.width / 2},${vertex.y - vertex.height / 2})`}
                tabIndex={0}
                role="button"
                aria-pressed={chosen === vertex.id}
                data-node={vertex.id}
                onClick={() => choose(vertex.id)}
                onFocus={() => centre(vertex)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' && event.key !== ' ') return;
                  event.preventDefault();
                  choose(vertex.id);
                }}
              >
                <rect class="plan-box" width={vertex.width} height={vertex.height} rx={7} />
                {node ? (
                  <PartFace
                    vertex={{ ...vertex, node }}
                    warmth={warmth}
                    fullness={heat(node.waiting, most.waiting)}
                    rate={rate}
                  />
                ) : (
                  <text class="plan-ring" x={12} y={vertex.height / 2 + 4}>
                    {cut(vertex.label, RING_CHARACTERS)}
                  </text>
                )}
              </g>
            );
          })}
        </g>
      </svg>
      <div class="plan-legend muted small">
        {children}
        <span class="spring" />
        <div class="plan-tools">
          <button onClick={() => zoomBy(1.3)} aria-label="Zoom in">
            +
          </button>
          <button onClick={() => zoomBy(1 / 1.3)} aria-label="Zoom out">
            −
          </button>
          <button onClick={fit}>Show all</button>
        </div>
      </div>
    </div>
  );
}

interface PartFaceProps {
  vertex: Placed;
  warmth: number;
  fullness: number;
  rate: number | undefined;
}

/** What is written on a part: what it is, what it says, who shares it, how full and how hot it is. */
function PartFace({ vertex, warmth, fullness, rate }: PartFaceProps) {
  const node = vertex.node!;
  const users = node.subscriptions.length;
  return (
    <>
      <rect
        class="plan-heat"
        width={4}
        height={vertex.height - 14}
        x={7}
        y={7}
        rx={2}
        opacity={0.12 + 0.88 * warmth}
      />
      <text class="plan-kind" x={20} y={17}>
        {node.kind}
        {users > 1 ? ` · shared by ${users}` : ''}
      </text>
      <text class="plan-label" x={20} y={33}>
        {cut(vertex.label.replace(/^event with /, ''), CHARACTERS)}
      </text>
      <rect class="plan-trough" x={20} y={44} width={92} height={4} rx={2} />
      <rect class="plan-fill" x={20} y={44} width={92 * fullness} height={4} rx={2} />
      <text class="plan-count" x={118} y={50}>
        {node.waiting
          ? `${short(node.waiting)} wait`
          : rate
            ? `${short(rate)}/s`
            : `${short(node.served)} in`}
      </text>
    </>
  );
}

function short(value: number): string {
  return new Intl.NumberFormat('en', {
    notation: 'compact',
    maximumFractionDigits: value < 10 ? 1 : 0,
  }).format(value);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function classOf(vertex: Placed, chosen: string | null, near: ReadonlySet<string>): string {
  const kind = vertex.node ? 'plan-part' : 'plan-subscription';
  if (vertex.id === chosen) return `${kind} plan-chosen`;
  if (chosen === null) return kind;
  return near.has(vertex.id) ? `${kind} plan-near` : `${kind} plan-far`;
}

/** What lies before and behind a vertex, itself included. */
function neighbours({ edges }: Graph, chosen: string | null): Set<string> {
  const found = new Set<string>();
  if (chosen === null) return found;
  const walk = (id: string, next: (id: string) => string[]): void => {
    for (const each of next(id)) {
      if (found.has(each)) continue;
      found.add(each);
      walk(each, next);
    }
  };
  walk(chosen, (id) => edges.filter((edge) => edge.to === id).map((edge) => edge.from));
  const before = new Set(found);
  found.clear();
  walk(chosen, (id) => edges.filter((edge) => edge.from === id).map((edge) => edge.to));
  return new Set([...before, ...found, chosen]);
}
