/** Chooses the attribute that tells things apart, among those that real events have. */

import { useEffect, useState } from 'preact/hooks';
import { api, type Attributes } from '../api';
import { DEFAULT_KEY, shownPath } from './keys';
import './timeline.css';

const ALWAYS = [DEFAULT_KEY, 'ce_type', 'ce_subject'];

export function KeySelect({ value, change }: { value: string; change: (path: string) => void }) {
  const [seen, setSeen] = useState<string[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    api
      .get<Attributes>('/v1/attributes', { signal: ended.signal })
      .then(({ attributes }) =>
        setSeen(attributes.filter((each) => each.types.includes('string')).map((each) => each.path)),
      )
      .catch(() => undefined);
    return () => ended.abort();
  }, []);
  const paths = [...new Set([...ALWAYS, value, ...seen])];
  return (
    <label class="inline-field">
      <span>By</span>
      <select value={value} onChange={(event) => change(event.currentTarget.value)}>
        {paths.map((path) => (
          <option key={path} value={path}>
            {shownPath(path)}
          </option>
        ))}
      </select>
    </label>
  );
}
