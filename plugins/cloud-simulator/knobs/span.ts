import { milliseconds, type Shape } from './shapes.ts';
import type { RandomSource } from '../random.ts';

/** A length of time in milliseconds: always the same, or drawn evenly between two bounds each time. */
export type Span = number | { readonly min: number; readonly max: number };

export const span: Shape = (value, path) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return milliseconds(value, path);
  const { min, max, ...others } = value as Record<string, unknown>;
  const unknown = Object.keys(others).map((name) => `${path}/${name}: unknown; known: min, max`);
  const wrong = [...milliseconds(min, `${path}/min`), ...milliseconds(max, `${path}/max`), ...unknown];
  if (wrong.length > 0) return wrong;
  return (min as number) <= (max as number) ? [] : [`${path}: min is above max`];
};

/** Draws one length of a span. A fixed length uses no random number. */
export function draw(length: Span, random: RandomSource): number {
  return typeof length === 'number' ? length : length.min + random.next() * (length.max - length.min);
}
