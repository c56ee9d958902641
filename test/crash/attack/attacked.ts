import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Attack } from '../campaign/kill-point.ts';

const attack = pathToFileURL(join(import.meta.dirname, 'attack.ts')).href;

/** What the environment of a broker needs for it to be attacked. */
export const attacked = (how: Attack): Readonly<Record<'ATTACK' | 'NODE_OPTIONS', string>> => ({
  ATTACK: JSON.stringify(how),
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${attack}`,
});
