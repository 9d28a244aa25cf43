import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { Attribute, Attributes } from '../api';
import { LANGUAGES } from './languages';
import { written } from './region-rule';

/** What may be written: attributes of events that came, defined names, terms of the ontologies, words. */

const WORD = /[\w.:-]*$/;

export function completionsOf(language: string, known: Attributes | null): Completion[] {
  const words = LANGUAGES[language];
  if (!words) return [];
  const completions: Completion[] = [];
  if (known && words.completes.attributes) completions.push(...known.attributes.map(attribute));
  if (known && words.completes.types) completions.push(...typesOf(known));
  if (known && words.completes.definitions)
    completions.push(...known.definitions.map((label) => ({ label, type: 'constant', detail: 'defined', boost: 20 })));
  if (known && words.completes.terms) completions.push(...known.terms.map((term) => termCompletion(language, term)));
  completions.push(...words.keywords.map((label) => ({ label, type: 'keyword' })));
  completions.push(...words.types.map((label) => ({ label, type: 'function' })));
  return completions;
}

function attribute({ path, types, examples, count }: Attribute): Completion {
  return {
    label: path,
    apply: quoted(path),
    type: 'variable',
    detail: types.join(' | '),
    info: `in ${count} of the last events, for example ${examples.map((each) => JSON.stringify(each)).join(', ')}`,
    boost: 50,
  };
}

const TYPE = 'ce_type';

/** Types of events that came, which a rule names them by. */
function typesOf(known: Attributes): Completion[] {
  const types = known.attributes.find((each) => each.path === TYPE)?.examples ?? [];
  return types.map((type) => ({
    label: String(type),
    apply: written(String(type)),
    type: 'type',
    detail: 'events',
    boost: 40,
  }));
}

/** A path whose names are not plain is written with backticks. */
function quoted(path: string): string {
  return path.split('.').map(written).join('.');
}

function termCompletion(language: string, { iri, label }: { iri: string; label: string | null }): Completion {
  const name = label || iri.replace(/^.*[/#]/, '');
  const isIri = iri.includes('://');
  return {
    label: name,
    apply: isIri && language !== 'opsl' ? `<${iri}>` : name,
    type: 'class',
    detail: isIri ? iri : 'term',
    boost: 30,
  };
}

/** The source of completions, which asks for what is known at that moment. */
export function completionSource(
  language: string,
  known: () => Attributes | null,
): (context: CompletionContext) => CompletionResult | null {
  return (context) => {
    const before = context.matchBefore(WORD);
    const isStarted = before !== null && before.from < before.to;
    if (!isStarted && !context.explicit) return null;
    return { from: before?.from ?? context.pos, options: completionsOf(language, known()), validFor: /^[\w.:-]*$/ };
  };
}
