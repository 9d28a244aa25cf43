import type { Text } from '@codemirror/state';
import type { Diagnostic } from '@codemirror/lint';
import type { Found } from '../api';

/** Where in a text a problem is: lines and columns of the service count characters from 1. */
export function spanOf(doc: Text, found: Found): { from: number; to: number } {
  const line = doc.line(Math.min(Math.max(found.line ?? 1, 1), doc.lines));
  const from = line.from + offsetOf(line.text, (found.column ?? 1) - 1);
  const rest = doc.sliceString(from, doc.length);
  if (found.token && rest.startsWith(found.token)) return { from, to: from + found.token.length };
  const word = /^(?:[\w.]+|\S)/.exec(rest);
  if (word) return { from, to: from + word[0].length };
  return { from: Math.max(0, from - 1), to: from };
}

/** The offset of a character in a line; characters outside the basic plane count once. */
function offsetOf(line: string, characters: number): number {
  return Array.from(line).slice(0, characters).join('').length;
}

/** Underlines for what has a place; the rest is told below the text only. */
export function diagnosticsOf(doc: Text, problems: Found[], warnings: Found[]): Diagnostic[] {
  const diagnostic = (severity: 'error' | 'warning') => (found: Found) => ({
    ...spanOf(doc, found),
    severity,
    source: found.code,
    message: found.hint ? `${found.message}\n${found.hint}` : found.message,
  });
  const hasPlace = (found: Found) => found.line !== undefined;
  return [
    ...problems.filter(hasPlace).map(diagnostic('error')),
    ...warnings.filter(hasPlace).map(diagnostic('warning')),
  ];
}
