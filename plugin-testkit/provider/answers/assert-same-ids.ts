import assert from 'node:assert/strict';
import { formatIds } from './format.ts';

/** Fails unless two sets of ids are equal; `rule` quotes the contract, `what` names these ids. */
export function assertSameIds(seen: Iterable<string>, wanted: Iterable<string>, rule: string, what: string): void {
  const have = new Set(seen);
  const want = new Set(wanted);
  const missing = [...want].filter((id) => !have.has(id));
  const strange = [...have].filter((id) => !want.has(id));
  const wrong = [
    ...(missing.length > 0 ? [`missing: ${formatIds(missing)}`] : []),
    ...(strange.length > 0 ? [`not expected: ${formatIds(strange)}`] : []),
  ];
  assert.ok(
    wrong.length === 0,
    `${rule} ${what}: ${formatIds(have)}; expected: ${formatIds(want)}; ${wrong.join('; ')}.`,
  );
}
