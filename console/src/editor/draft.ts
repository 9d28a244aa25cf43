import type { Subscription } from '../api';

/** A subscription as it is being written: every field is a text. */
export interface Draft {
  id: string;
  language: string;
  expression: string;
  subscriber: string;
  policy: string;
  horizon: string;
  options: string;
  deliver: string;
}

export const NEW_DRAFT: Draft = {
  id: '',
  language: 'rule',
  expression: '',
  subscriber: '',
  policy: '',
  horizon: '',
  options: '',
  deliver: '',
};

export function draftOf(subscription: Subscription): Draft {
  const { expression } = subscription;
  return {
    id: subscription.id,
    language: subscription.language,
    expression: typeof expression === 'string' ? expression : JSON.stringify(expression, null, 2),
    subscriber: subscription.subscriber ?? '',
    policy: subscription.policy ?? '',
    horizon: subscription.horizon ?? '',
    options: written(subscription.options),
    deliver: written(subscription.deliver),
  };
}

function written(value: object | undefined): string {
  return value && Object.keys(value).length ? JSON.stringify(value, null, 2) : '';
}

/** The body that is sent; raises where a field that must be JSON is none. */
export function bodyOf(draft: Draft): Record<string, unknown> {
  const body: Record<string, unknown> = { language: draft.language, expression: expressionOf(draft) };
  for (const name of ['subscriber', 'policy', 'horizon'] as const)
    if (draft[name].trim()) body[name] = draft[name].trim();
  for (const name of ['options', 'deliver'] as const) if (draft[name].trim()) body[name] = parsed(name, draft[name]);
  return body;
}

/** Queries of EPCIS are objects; all other languages are texts. */
function expressionOf(draft: Draft): unknown {
  if (draft.language !== 'epcis') return draft.expression;
  try {
    return JSON.parse(draft.expression);
  } catch {
    return draft.expression;
  }
}

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is no JSON: ${(error as Error).message}`);
  }
}

export function isSame(one: Draft, other: Draft): boolean {
  return (Object.keys(one) as (keyof Draft)[]).every((name) => one[name] === other[name]);
}
