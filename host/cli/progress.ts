import type { RequestAnswer } from '../../core/answers.ts';
import type { Terminal } from '../terminal.ts';

/** `req-` and what tells it from others of the same hour. */
const shortestId = 12;

/** Tells on stderr how a request goes on: one line that is written anew on a screen, a line for each change elsewhere. */
export interface Progress {
  show(now: RequestAnswer): void;
  /** Leaves the last line as it is. */
  end(): void;
}

export function progress(terminal: Terminal): Progress {
  const { err, errIsScreen } = terminal;
  const began = performance.now();
  let last = '';
  return {
    show(now) {
      const line = progressLine(now);
      const text = `${line}, ${Math.round((performance.now() - began) / 1000)} s`;
      if (errIsScreen) err(`\r\u001b[K${fitted(text, now.request_id, terminal.errColumns)}`);
      else if (line !== last) err(`${text}\n`);
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

/** A line that would go on in the next row cannot be written anew: the id gives way first, then the end. */
function fitted(line: string, id: string, columns: number | undefined): string {
  // The last column stays free: some terminals begin a new row when it is written.
  const over = columns ? line.length - (columns - 1) : 0;
  if (over <= 0) return line;
  const kept = Math.max(shortestId, id.length - over - 1);
  return line.replace(id, `${id.slice(0, kept)}…`).slice(0, (columns ?? 0) - 1);
}
