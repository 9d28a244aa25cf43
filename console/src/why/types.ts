/** What the service tells of why something rang or did not. */

import type { Geometry } from 'geojson';
import type { CloudEvent, Match, Subscription } from '../api';

export interface Member {
  event?: CloudEvent;
  position?: number;
  source?: string;
  id?: string;
  /** True where the event is no longer stored. */
  expired?: boolean;
  start: string | null;
  end: string | null;
  place: Geometry | null;
  /** What the member is called in the subscription. */
  name: string | null;
}

export interface Window {
  from: string | null;
  to: string | null;
  label: string;
  absent: boolean;
}

export interface PlanPart {
  label: string;
  /** Its role in the part around it, such as `absent`. */
  role: string;
  /** Its text in the subscription; null where that is not known. */
  source: string | null;
  kind: string;
  satisfied: boolean | null;
  children: PlanPart[];
}

export interface Why {
  match: Match;
  members: Member[];
  windows: Window[];
  regions: { name: string; geometry: Geometry }[];
  bindings: Record<string, string>;
  plan: PlanPart | null;
  lineage: string[][];
  subscription: Subscription | null;
  version?: number;
}

export interface Step {
  /** How deep it lies in the steps around it. */
  depth: number;
  text: string;
  /** Null where it cannot be told, because a value is missing. */
  holds: boolean | null;
  actual: unknown;
  expected: unknown;
  distance?: unknown;
}

export interface Waiting {
  what: string;
  since: string | null;
  until: string | null;
  members: { source: string; id: string; start: string | null; end: string | null }[];
}

export interface WhyNot {
  rings: boolean;
  steps: Step[];
  /** The index of the step that failed first. */
  first_failure: number | null;
  waiting: Waiting[];
}
