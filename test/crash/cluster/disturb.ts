import { setTimeout as wait } from 'node:timers/promises';
import type { TestDatabase } from '../../support/postgres-database.ts';
import type { Dice } from '../support/dice.ts';
import type { Broker } from './broker.ts';
import { databaseFaultBy, fateBy } from './fault.ts';
import { updateAsNewer } from './newer-schema.ts';

/** What it takes to make faults. */
export interface Disturbance {
  readonly brokers: readonly Broker[];
  readonly database: TestDatabase;
  readonly schema: string;
  readonly chance: Dice;
  /** A lease, on the computer's clock. */
  readonly lease_ms: number;
  /** No more faults. */
  readonly over: () => boolean;
  readonly tell: (fault: string) => void;
  readonly wrong: (what: string) => void;
}

/** In leases: how long a broker may take to come to the moment of its fate. */
const patience = 4;

/** Lets a broker live and die, until there shall be no more faults. It then runs, or has ended. */
export async function disturbBrokers(broker: Broker, disturbance: Disturbance): Promise<void> {
  const { brokers, chance, lease_ms, over, tell, wrong } = disturbance;
  const { name } = broker.place;
  const soon = () => chance.roll(lease_ms);
  while (!over()) {
    const { attack, set_by, told } = fateBy(chance);
    const clock = set_by === 0 ? '' : `, its clock ten minutes ${set_by > 0 ? 'fast' : 'slow'}`;
    broker.start(attack, set_by);
    let armed = true;
    let suspended = false;
    for (let stops = 0; ; stops += 1) {
      await broker.comesToRest(patience * lease_ms, over);
      if (over()) break;
      if (broker.stopped) {
        tell(`${name} ${suspended ? 'stopped at any moment' : told}${clock}`);
        armed &&= suspended;
        suspended = false;
        await wait(lease_ms + soon());
        broker.signal('SIGCONT');
        continue;
      }
      if (!broker.runs) {
        tell(`${name} ${told}${clock}`);
        break;
      }
      if (stops === 0 && chance.roll(2) === 0) {
        suspended = true;
        broker.signal('SIGSTOP');
        continue;
      }
      tell(`${name} killed at any moment${clock}`);
      await broker.end('SIGKILL');
      break;
    }
    if (broker.ended !== undefined && broker.ended !== 'SIGKILL')
      wrong(`${name} ended by itself with ${broker.ended}`);
    if (over()) {
      if (broker.stopped) broker.signal('SIGCONT');
      // What it would still do to itself is not wanted any more.
      if (armed) await broker.end('SIGKILL');
      return;
    }
    const others = brokers.filter((each) => each !== broker && each.place.whole && !each.gone);
    if (others.length > 0 && chance.roll(8) === 0) {
      broker.gone = true;
      tell(`${name} does not come back`);
      return;
    }
    await wait(soon());
  }
}

/** Disturbs the database and the ways to it, until there shall be no more faults. Then all is well with them. */
export async function disturbDatabase(disturbance: Disturbance): Promise<void> {
  const { brokers, database, schema, chance, lease_ms, over, tell } = disturbance;
  let updated = false;
  for (;;) {
    for (const end = performance.now() + lease_ms * (2 + chance.roll(4)); performance.now() < end && !over(); )
      await wait(20);
    if (over()) return;
    const fault = databaseFaultBy(chance);
    const { way, name } = chance.pick(brokers).place;
    if (fault === 'newer') {
      if (updated) continue;
      updated = true;
      await updateAsNewer(database, schema);
      tell('the schema updated by a newer muster');
    } else if (fault === 'stopped') {
      await database.server.stop('SIGQUIT');
      tell('the database stopped at once');
      await wait(chance.roll(3 * lease_ms));
      await database.server.start();
    } else if (fault === 'cut') {
      tell(`the connections of ${name} cut`);
      way.cut();
    } else {
      tell(`the connections of ${name} ${fault}`);
      way.passes = fault;
      await wait(lease_ms / 2 + chance.roll(3 * lease_ms));
      way.passes = 'open';
      way.cut();
    }
  }
}
