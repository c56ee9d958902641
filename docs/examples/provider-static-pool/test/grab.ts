/**
 * A broker of its own beside another one: both take hosts at the same time, give every second one back at once, and
 * print what they were lent.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Leases } from '../leases.ts';

const [who = '', other = '', file = ''] = process.argv.slice(2);
const hosts = Array.from({ length: 30 }, (_, n) => ({ name: `host-${n}`, address: `10.0.0.${n}` }));
/** Between the look at what is free and the loan it takes its time: the other one is in there too, if it can be. */
const inventory: typeof hosts = Object.assign([...hosts], {
  filter(fits: (host: (typeof hosts)[number]) => boolean) {
    for (const end = performance.now() + 3; performance.now() < end; );
    return hosts.filter(fits);
  },
});
const database = new DatabaseSync(file, { timeout: 20_000 });
// No disk to wait for, so that both are always under way.
database.exec('PRAGMA synchronous = OFF');
const leases = new Leases(database);
writeFileSync(`${file}.${who}`, '');
while (!existsSync(`${file}.${other}`));
for (let turn = 0; turn < 20; turn++) {
  for (const lease of leases.take(`${who}${turn}`, 1, inventory, Date.now())) {
    console.log(`${lease.name}.${lease.number}`);
    if (turn % 2 === 0) leases.giveBack(lease, Date.now());
  }
}
