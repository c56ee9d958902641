import { readPlace } from '../../../plugins/cloud-simulator/server/simulator-place.ts';
import { openSimulator } from '../../../plugins/cloud-simulator/server/open.ts';
import type { AuditEntry } from '../../../plugins/cloud-simulator/dispatch/audit.ts';
import type { KnobChange } from '../../../plugins/cloud-simulator/knobs/knobs.ts';
import type { Ledger } from '../../../plugins/cloud-simulator/dispatch/ledger.ts';
import { until } from './until.ts';

export type { AuditEntry, KnobChange, Ledger };

/** The simulated cloud of a data directory, in the process of its own that the broker finds there. */
export interface Cloud {
  readonly url: string;
  turn(change: KnobChange): Promise<void>;
  /** Moves its clock, and that of nobody else. */
  advance(ms: number): Promise<void>;
  ledger(): Promise<Ledger>;
  audit(since?: number): Promise<{ readonly entries: readonly AuditEntry[]; readonly next: number }>;
  /** Resolves as soon as a call is in the audit, looked for every few milliseconds. */
  met(which: (entry: AuditEntry) => boolean, since?: number): Promise<AuditEntry>;
  close(): Promise<void>;
}

export async function openCloud(directory: string, knobs: KnobChange): Promise<Cloud> {
  const { url } = await openSimulator(directory, { idleMs: 300_000 });
  const place = await readPlace(directory);
  const get = async (path: string) => (await fetch(`${url}/_sim/${path}`)).json() as Promise<any>;
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${url}/_sim/${path}`, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`The simulated cloud refused ${path}: ${await answer.text()}`);
  };
  const cloud: Cloud = {
    url,
    turn: (change) => post('knobs', change),
    advance: (advance_ms) => post('clock', { advance_ms }),
    ledger: () => get('ledger'),
    audit: (since = 0) => get(`audit?since=${since}`),
    met: (which, since = 0) =>
      until(
        'a call that the cloud never met',
        async () => (await cloud.audit(since)).entries.find((entry) => which(entry)),
        {
          every_ms: 3,
        },
      ),
    async close() {
      if (place === undefined) return;
      process.kill(place.pid, 'SIGTERM');
      // It puts its place in the directory away, which is removed next.
      await until('the end of the cloud', async () => !isAlive(place.pid));
    },
  };
  await cloud.turn(knobs);
  return cloud;
}

/** Whether there is a process of this id. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
