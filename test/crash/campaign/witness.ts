import type { Dialect, Seen } from '../support/dialect.ts';

/** Remembers all that was ever answered about requests, and what in it contradicts itself. */
export class Witness {
  readonly wrong: string[] = [];
  readonly #dialect: Dialect;
  readonly #ends = new Map<string, string>();
  readonly #gone = new Set<string>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** An end is an end; who ended does not come back; and nothing ends while a machine of it is still to be decided. */
  see({ request_id, status, machines }: Seen): void {
    const before = this.#ends.get(request_id);
    if (before !== undefined && before !== status) this.wrong.push(`${request_id} was ${before} and is ${status} now`);
    if (this.#dialect.ended.has(status)) {
      this.#ends.set(request_id, status);
      for (const { machine_id, result } of machines) {
        // Later the cloud may take machines: what was succeed may fail, but nothing begins anew.
        if (result === 'executing' && before === undefined)
          this.wrong.push(`${request_id} ended while ${machine_id} was executing`);
      }
    }
    for (const machine of machines) {
      if (machine.status === 'terminated') this.#gone.add(machine.machine_id);
      else if (this.#gone.has(machine.machine_id))
        this.wrong.push(`${machine.machine_id} was terminated and is ${machine.status} now`);
    }
  }
}
