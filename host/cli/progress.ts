import type { RequestAnswer } from '../../core/answers.ts';
import type { Terminal } from './terminal.ts';

/** Tells on stderr how a request goes on: one line that is written anew on a screen, a line for each change elsewhere. */
export interface Progress {
  show(now: RequestAnswer): void;
  /** Leaves the last line as it is. */
  end(): void;
}

export function progress({ err, errIsScreen }: Terminal): Progress {
  const began = performance.now();
  let last = '';
  return {
    show(now) {
      const line = progressLine(now);
      const seconds = Math.round((performance.now() - began) / 1000);
      if (errIsScreen) err(`\r\u001b[K${line}, ${seconds} s`);
      else if (line !== last) err(`${line}, ${seconds} s\n`);
      last = line;
    },
    end() {
      if (errIsScreen && last !== '') err('\n');
    },
  };
}

/** `req-1 in_progress: 3 requested, 2 running, 0 failed, 1 pending` */
export function progressLine({ request_id, status, requested_count, machines = [], machine_ids }: RequestAnswer): string {
  const counts = Map.groupBy(machines, (machine) => machine.status);
  const of = (state: string): number => counts.get(state)?.length ?? 0;
  const main = machine_ids
    ? [`${requested_count || machine_ids.length} to give back`, `${of('terminated')} gone`, `${of('failed')} failed`]
    : [`${requested_count} requested`, `${of('running')} running`, `${of('failed')} failed`];
  const told = new Set(machine_ids ? ['terminated', 'failed'] : ['running', 'failed']);
  const others = [...counts].filter(([state]) => !told.has(state)).map(([state, mine]) => `${mine.length} ${state}`);
  return `${request_id} ${status}: ${[...main, ...others].join(', ')}`;
}
