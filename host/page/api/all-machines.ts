import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { read, Refusal } from './broker-client.ts';
import { api } from './place.ts';
import { onEvents } from './live.ts';
import type { JournalEvent, Machine, MachineList } from './shapes.ts';
import type { Answer } from './use-answer.ts';

const atOnce = 1_000;
const least_ms = 1_500;

/** All machines of a request, also those that are gone, by creation. */
export interface AllMachines {
  readonly machines: readonly Machine[];
  readonly total: number;
}

/** Reads up to `most` machines of a request, and reads them again when one of them changed. */
export function useMachinesOf(request_id: string, most: number): ReadonlySignal<Answer<AllMachines>> {
  const answer = useMemo(() => signal<Answer<AllMachines>>({}), [request_id]);
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let running = false;
    let stale = false;
    async function readAll(): Promise<void> {
      if (running || document.hidden) return void (stale = true);
      [running, stale] = [true, false];
      try {
        answer.value = { value: await machinesOf(request_id, most, ended.signal) };
      } catch (error) {
        if (!ended.signal.aborted && error instanceof Refusal) answer.value = { ...answer.peek(), failure: error };
      } finally {
        running = false;
        if (stale) soon();
      }
    }
    function soon(): void {
      timer ??= setTimeout(() => ((timer = undefined), void readAll()), least_ms);
    }
    const concerns = ({ type, request_id: of }: JournalEvent): boolean =>
      of === request_id && (type.startsWith('machine.') || type.startsWith('request.'));
    const unlisten = onEvents((events) => {
      if (events.length === 0 || events.some(concerns)) soon();
    });
    const shown = (): void => {
      if (!document.hidden && stale) soon();
    };
    document.addEventListener('visibilitychange', shown);
    void readAll();
    return () => {
      ended.abort();
      clearTimeout(timer);
      unlisten();
      document.removeEventListener('visibilitychange', shown);
    };
  }, [request_id]);
  return answer;
}

async function machinesOf(request_id: string, most: number, signal: AbortSignal): Promise<AllMachines> {
  const machines: Machine[] = [];
  for (;;) {
    const query = new URLSearchParams({
      request_id,
      all_resources: 'true',
      limit: String(Math.min(atOnce, most)),
      offset: String(machines.length),
    });
    const page = await read<MachineList>(`${api}/inventory/?${query}`, signal);
    machines.push(...page.machines);
    if (page.machines.length === 0 || machines.length >= Math.min(most, page.total_count))
      return { machines, total: page.total_count };
  }
}
