import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { Compile } from 'typebox/compile';
import type { SchedulerStrategy, View } from '../../core/index.ts';
import { callPure } from './call-pure.ts';

/** Fails unless a view renders an answer: JSON, or text if the strategy has a media type. */
export function assertAnswer(strategy: SchedulerStrategy, rendered: unknown, what: string): void {
  if (strategy.media_type !== undefined) {
    assert.equal(typeof rendered, 'string', `${what}: with a media type of its own a view renders text.`);
    return;
  }
  const text = JSON.stringify(rendered);
  assert.notEqual(text, undefined, `${what}: nothing is rendered.`);
  if (isDeepStrictEqual(JSON.parse(text), plain(rendered))) return;
  assert.deepEqual(
    rendered,
    JSON.parse(text),
    `${what}: JSON changes what is rendered; leave out what is undefined, and write times as text.`,
  );
}

/** Objects without a prototype count as equal to plain objects. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
};

/** Checks rendered values against the schema of their view. */
export function fitting(schema: View<never>['schema'], name: string): (rendered: unknown, what: string) => void {
  const validator = Compile(schema);
  return (rendered, what) => {
    if (validator.Check(rendered)) return;
    const [first] = validator.Errors(rendered);
    assert.fail(
      `${what}: what '${name}' renders does not fit its schema: ${first?.instancePath || 'the whole'} ${first?.message ?? ''}`,
    );
  };
}

/** The answer as text, to search for an id. */
export const textOf = (rendered: unknown): string =>
  typeof rendered === 'string' ? rendered : (JSON.stringify(rendered) ?? '');

/** Renders twice, without access to time and random numbers; both results must be equal. */
export function renderedTwice<T>(render: (value: T) => unknown, value: T, what: string): unknown {
  const twice = [0, 1].map(() => callPure(() => render(value), what));
  assert.deepEqual(twice[1], twice[0], `${what}: rendered twice, it differs.`);
  return twice[0];
}
