import assert from 'node:assert/strict';
import { inspect } from 'node:util';

/** A value as one line of a message. */
export const shown = (value: unknown): string =>
  inspect(value, { depth: 4, breakLength: Infinity, maxArrayLength: 20, maxStringLength: 300 });

export const listed = (ids: Iterable<string>): string => [...ids].toSorted().join(', ') || 'none';

/** Fails unless two sets of ids are equal; `rule` quotes the contract, `what` names these ids. */
export function sameIds(seen: Iterable<string>, wanted: Iterable<string>, rule: string, what: string): void {
  const have = new Set(seen);
  const want = new Set(wanted);
  const missing = [...want].filter((id) => !have.has(id));
  const strange = [...have].filter((id) => !want.has(id));
  const wrong = [
    ...(missing.length > 0 ? [`missing: ${listed(missing)}`] : []),
    ...(strange.length > 0 ? [`not expected: ${listed(strange)}`] : []),
  ];
  assert.ok(wrong.length === 0, `${rule} ${what}: ${listed(have)}; expected: ${listed(want)}; ${wrong.join('; ')}.`);
}
