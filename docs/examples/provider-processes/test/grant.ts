/**
 * One of two brokers in processes of their own: both admit orders at the same moment, ten times in a fresh directory,
 * and each prints how many orders it admitted.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Places } from '../places.ts';

const [who = '', other = '', directory = ''] = process.argv.slice(2);
let granted = 0;
for (let round = 0; round < 10; round++) {
  const here = join(directory, String(round));
  mkdirSync(here, { recursive: true });
  const places = new Places(here, new DatabaseSync(join(here, 'lock.db'), { timeout: 20_000 }), 3);
  writeFileSync(join(here, who), '');
  while (!existsSync(join(here, other)));
  for (let n = 0; n < 3; n++) granted += places.grant(`${who}${n}`, 1).granted;
}
console.log(granted);
