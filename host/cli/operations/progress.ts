import type { RequestAnswer } from '../../../core/contract/answers.ts';
import { anew, type Terminal } from '../../process/terminal.ts';

/** Length of `req-` and the digits that differ between requests of the same hour. */
const shortestId = 12;

/**
 * Prints the progress of a request on stderr: one line that is rewritten on a terminal, else one line for each change.
 */
export interface Progress {
  show(now: RequestAnswer): void;
  /** Ends the last line. */
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
      if (errIsScreen) err(`${anew}${fitted(text, now.request_id, terminal.errColumns)}`);
      else if (line !== last) err(`${text}\n`);
      last = line;
    },
    end() {
      if (errIsScreen && last !== '') err('\n');
    },
  };
}

/** `req-1 in_progress: 3 requested, 2 running, 0 failed, 1 pending` */
export function progressLine(request: RequestAnswer): string {
  const { request_id, status, requested_count, machines = [], machine_ids } = request;
  if (machine_ids) return `${request_id} ${status}: ${returnCounts(request, machine_ids.length).join(', ')}`;
  const counts = Map.groupBy(machines, (machine) => machine.status);
  const of = (state: string): number => counts.get(state)?.length ?? 0;
  const failed = Math.max(of('failed'), notDelivered(request));
  const main = [`${requested_count} requested`, `${of('running')} running`, `${failed} failed`];
  return `${request_id} ${status}: ${[...main, ...otherCounts(counts, 'running', 'failed')].join(', ')}`;
}

/** The number of machines that a request did not deliver when it ended without cancellation. */
function notDelivered({ status, fulfilment }: RequestAnswer): number {
  if (!fulfilment || (status !== 'failed' && status !== 'completed')) return 0;
  return Math.max(0, fulfilment.requested - fulfilment.delivered);
}

/**
 * `2 to return, 1 gone, 1 shutting-down`. Shows failures only when there are some: a machine that failed earlier
 * counts as gone.
 */
function returnCounts({ status, requested_count, machines = [], fulfilment }: RequestAnswer, named: number): string[] {
  const requested = requested_count || named;
  const short = (fulfilment?.shortfall.length ?? 0) > 0;
  if (status === 'completed' && !short) return [`${requested} to return`, `${requested} gone`];
  const counts = Map.groupBy(machines, (machine) => machine.status);
  const failed = counts.get('failed')?.length ?? 0;
  const main = [
    `${requested} to return`,
    `${counts.get('terminated')?.length ?? 0} gone`,
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return [...main, ...otherCounts(counts, 'terminated', 'failed')];
}

const otherCounts = (counts: ReadonlyMap<string, readonly unknown[]>, ...shownStates: readonly string[]): string[] =>
  [...counts].flatMap(([state, mine]) => (shownStates.includes(state) ? [] : [`${mine.length} ${state}`]));

/** A line longer than the terminal cannot be rewritten, so the id is cut first, then the end. */
function fitted(line: string, id: string, columns: number | undefined): string {
  // The last column stays free: some terminals start a new row when it is written.
  const excess = columns ? line.length - (columns - 1) : 0;
  if (excess <= 0) return line;
  const kept = Math.max(shortestId, id.length - excess - 1);
  return line.replace(id, `${id.slice(0, kept)}…`).slice(0, (columns ?? 0) - 1);
}
