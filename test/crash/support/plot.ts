import { deepEqual, ok } from 'node:assert/strict';
import type { Dice } from './dice.ts';
import type { Stage } from './stage.ts';
import { until } from './until.ts';

interface Asked {
  readonly machine_count: number;
  readonly returned: string[];
  cancelled: boolean;
  /** A return or cancel was cut off: it may or may not have been stored. */
  doubtful: number;
}

/** More than one launch of machines one by one. */
const most = 250;
const goes = new Set(['running', 'pending']);

/** What chance asks of the broker, and what it acknowledged. */
export class Plot {
  readonly #stage: Stage;
  readonly #chance: Dice;
  readonly #scarce: boolean;
  readonly #asked = new Map<string, Asked>();
  readonly #returns: string[] = [];

  /** `scarce`: fewer machines than were asked for may be what there is. */
  constructor(stage: Stage, chance: Dice, scarce: boolean) {
    this.#stage = stage;
    this.#chance = chance;
    this.#scarce = scarce;
  }

  /** Does several things at once; resolves when all were answered or cut off. */
  async act(count: number): Promise<void> {
    const acts = Array.from({ length: count }, () => {
      const what = this.#chance.roll(10);
      const id = this.#asked.size > 0 ? this.#chance.pick([...this.#asked.keys()]) : undefined;
      if (id === undefined || what < 6)
        return this.#ask(this.#chance.pick(['run', 'fleet']), 1 + this.#chance.roll(this.#chance.pick([6, 6, 6, most])));
      return what < 9 ? this.#giveBack(id, 1 + this.#chance.roll(2)) : this.#cancel(id);
    });
    await Promise.allSettled(acts);
  }

  async #ask(template: string, machine_count: number): Promise<void> {
    const id = await this.#stage.request(template, machine_count);
    this.#asked.set(id, { machine_count, returned: [], cancelled: false, doubtful: 0 });
  }

  async #giveBack(id: string, count: number): Promise<void> {
    const asked = this.#asked.get(id) as Asked;
    const { machines } = await this.#stage.seen(id);
    const ids = machines
      .filter(({ status, machine_id }) => goes.has(status) && !asked.returned.includes(machine_id))
      .slice(0, count)
      .map(({ machine_id }) => machine_id);
    if (ids.length === 0) return;
    asked.doubtful += ids.length;
    const return_id = await this.#stage.giveBack(ids);
    this.#returns.push(return_id);
    asked.doubtful -= ids.length;
    for (const each of ids) if (!asked.returned.includes(each)) asked.returned.push(each);
  }

  async #cancel(id: string): Promise<void> {
    const asked = this.#asked.get(id) as Asked;
    asked.doubtful += asked.machine_count;
    const { status } = await this.#stage.call('DELETE', `/requests/${id}`);
    if (status === 202) asked.cancelled = true;
    asked.doubtful -= asked.machine_count;
  }

  /** Waits for the end of everything, and compares it with what was acknowledged and with what the cloud has. */
  async check(): Promise<void> {
    const stage = this.#stage;
    const { body } = await stage.call('GET', '/requests/?limit=1000');
    const stored: string[] = body.requests.map(stage.dialect.requestId);
    deepEqual(
      [...this.#asked.keys(), ...this.#returns].filter((id) => !stored.includes(id)),
      [],
      'acknowledged and not stored',
    );
    for (const id of stored) await stage.ended(id);
    const own = stored.filter((id) => id.startsWith('req-'));
    for (const id of own) await until(`${id} is as the cloud has it`, () => this.#agrees(id), { within_ms: 15_000, every_ms: 100 });
    for (const [id, asked] of this.#asked) await this.#checkCount(id, asked);

    const { live, untagged, launches } = await stage.cloud.ledger();
    deepEqual(untagged, [], 'machines without a request');
    deepEqual(
      Object.keys(live).filter((id) => !own.includes(id)),
      [],
      'machines of requests that are not known',
    );
    const unknown = own.filter((id) => !this.#asked.has(id)).length;
    const wanted = [...this.#asked.values()].reduce((sum, { machine_count }) => sum + machine_count, 0);
    const started = Object.values(launches).reduce((sum, count) => sum + count, 0);
    // What failed after its launch was replaced.
    ok(
      this.#scarce || started <= wanted + unknown * most,
      `${started} machines were started, ${wanted} were asked for, and ${unknown} requests were cut off`,
    );
  }

  async #agrees(id: string): Promise<boolean> {
    const { machines } = await this.#stage.seen(id);
    const { live } = await this.#stage.cloud.ledger();
    const alive = machines.filter(({ status }) => goes.has(status)).map(({ machine_id }) => machine_id);
    return JSON.stringify(alive.toSorted()) === JSON.stringify((live[id] ?? []).toSorted());
  }

  async #checkCount(id: string, { machine_count, returned, cancelled, doubtful }: Asked): Promise<void> {
    const { status, machines } = await this.#stage.seen(id);
    const alive = machines.filter((machine) => goes.has(machine.status)).length;
    const due = machine_count - returned.length;
    const told = `${id} (${status}) has ${alive} machines; ${machine_count} asked, ${returned.length} returned, ${doubtful} in doubt`;
    for (const machine_id of returned)
      ok(machines.some((each) => each.machine_id === machine_id && each.status === 'terminated') || cancelled, told);
    // A cancel may come too late; then nothing of it holds.
    if (cancelled) ok(alive === 0 || alive === due, told);
    else ok(alive <= due && (this.#scarce || alive >= due - doubtful), told);
    if (!this.#scarce && !cancelled && doubtful === 0 && returned.length === 0) ok(status === this.#stage.dialect.completed, told);
  }
}
