import type { Geometry } from 'geojson';

/** What the service answers, as docs/service.md says. */

export interface Session {
  version: string;
  engine: string;
  auth: boolean;
  tenant: string;
  scopes: string[];
  tiles: string;
  server_time: string;
}

export interface CloudEvent {
  specversion?: string;
  id: string;
  source: string;
  type: string;
  time?: string;
  endtime?: string;
  place?: unknown;
  data?: unknown;
  [name: string]: unknown;
}

export interface StoredEvent {
  position: number;
  received: string;
  event: CloudEvent;
  start: string | null;
  end: string | null;
  place: Geometry | null;
  late: boolean;
}

export interface EventPage {
  events: StoredEvent[];
  next: number;
}

export interface Match {
  id: string;
  position?: number;
  subscription: string;
  events: string[];
  sources: string[];
  start: string | null;
  end: string | null;
  detected: string | null;
  place: string | null;
  bindings: Record<string, string>;
  outputs: string[];
  members?: unknown[];
}

export interface MatchPage {
  matches: Match[];
  next: number;
  /** The position of the first of them: `before` of the page of older ones. */
  previous: number;
}

export interface Subscription {
  id: string;
  language: string;
  expression: string | object;
  subscriber?: string;
  policy?: string;
  horizon?: string;
  deliver?: Record<string, unknown>;
  options?: Record<string, unknown>;
  paused?: boolean;
  state?: string;
  /** Why it is suspended. */
  problem?: { code: string; reason: string };
}

export interface Found {
  code: string;
  message: string;
  line?: number;
  column?: number;
  token?: string;
  hint?: string;
}

export interface Checked {
  ok: boolean;
  problems: Found[];
  warnings: Found[];
}

export interface Explained {
  language: string;
  plan: string[];
  summary: string[];
  wire: unknown;
}

export interface Tried {
  last: string;
  events: number;
  count: number;
  is_whole: boolean;
  matches: Match[];
  dead_letters: unknown[];
}

export interface Attribute {
  path: string;
  types: string[];
  count: number;
  examples: unknown[];
}

export interface Attributes {
  attributes: Attribute[];
  definitions: string[];
  terms: { iri: string; label: string | null }[];
}

export interface Minute {
  minute: string;
  events: number;
  matches: number;
  dead_letters: number;
  lag_seconds: number;
  waiting: number;
}

export interface SubscriptionStatistics {
  matches: number;
  minutes: number[];
  waiting: number;
  trouble: string | null;
}

export interface Statistics {
  now: {
    events: number;
    matches: number;
    dead_letters: number;
    late: number;
    lag_seconds: number;
    watermark: string | null;
    waiting: number;
    events_per_second: number;
  };
  minutes: Minute[];
  subscriptions: Record<string, SubscriptionStatistics>;
  spark: Record<string, unknown> | null;
}

export interface DeadLetter {
  id: number;
  code: string;
  reason: string;
  input: string | null;
  subscription: string | null;
  event: string | number | null;
  stored: string;
  replayed: string | null;
}

export interface KnownClass {
  iri: string;
  label: string | null;
  parents: string[];
  events: number;
  subscriptions: number;
}
