/**
 * One of two brokers in processes of their own: both take hosts at the same time, give every second one back at once,
 * and print their leases.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Leases } from '../leases.ts';

const [who = '', other = '', file = ''] = process.argv.slice(2);
const hosts = Array.from({ length: 30 }, (_, n) => ({ name: `host-${n}`, address: `10.0.0.${n}` }));
/** Waits between the query for free hosts and the lease, so that the other broker could come between. */
const inventory: typeof hosts = Object.assign([...hosts], {
  filter(fits: (host: (typeof hosts)[number]) => boolean) {
    for (const end = performance.now() + 3; performance.now() < end; );
    return hosts.filter(fits);
  },
});
const database = new DatabaseSync(file, { timeout: 20_000 });
// No wait for the disk, so that both processes are always busy.
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
