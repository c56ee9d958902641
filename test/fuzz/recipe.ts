import { bases } from './bases.ts';
import { stepped, textOf, type Body, type Step } from './steps.ts';

/** How a hostile call is made: small, whatever becomes of it. */
export interface Recipe {
  readonly base: string;
  readonly steps: readonly Step[];
}

/** A call as it is sent. */
export interface HostileCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly text?: string;
}

/** Targets longer than this are refused by their head alone. */
const longestTarget = 15_000;

/** Makes the call. Steps of a call without a body change its query. */
export function callOf({ base: name, steps }: Recipe): HostileCall {
  const base = bases[name];
  if (!base) throw new Error(`There is no call '${name}'.`);
  const { method, path, body } = base;
  if (body !== undefined) return { method, path, text: textOf(steps.reduce<Body>(stepped, { value: body })) };
  const [target = '', query] = path.split('?', 2);
  const fields = Object.fromEntries(new URLSearchParams(query));
  const changed = steps.reduce<Body>(stepped, { value: fields });
  if (changed.text !== undefined)
    return { method, path: `${target}?${encodeURIComponent(changed.text)}`.slice(0, longestTarget) };
  const pairs =
    typeof changed.value === 'object' && changed.value !== null
      ? Object.entries(changed.value)
      : [['q', changed.value]];
  const text = pairs.map(
    ([key, value]) =>
      `${safe(String(key))}=${safe(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`,
  );
  return { method, path: `${target}?${text.join('&')}`.slice(0, longestTarget) };
}

const safe = (text: string): string => encodeURIComponent(text.toWellFormed());
