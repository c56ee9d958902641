import type { EventRecord } from '../../core/model/records.ts';
import type { AuditEntry } from '../../plugins/cloud-simulator/dispatch/audit.ts';
import type { Outcome } from './outcome.ts';

/**
 * All that is known of a cell, to see why it came out as it did: a line for each event of the broker, call of the
 * cloud, attempt and machine.
 */
export function accountOf(
  { request, attempts, machines, started }: Outcome,
  events: readonly EventRecord[],
  audit: readonly AuditEntry[],
): string {
  const since = (at: number | undefined) => (at === undefined ? '-' : ((at - request.created_at) / 1000).toFixed(0));
  const ids = new Set([
    ...attempts.map(({ token }) => token),
    ...started.map(({ id }) => id),
    ...[...JSON.stringify(attempts.map(({ handle }) => handle)).matchAll(/"((?:fleet|sfr)-[^"]+)"/g)].map(
      ([, id]) => id as string,
    ),
  ]);
  const calls = audit.filter((entry) =>
    [entry.token ?? '', ...entry.ids].some((id) => ids.has(id) || id.includes(request.request_id)),
  );
  const timed = [
    ...events
      .filter((event) => event.request_id === request.request_id)
      .map(({ at, type, data }) => [at, `${type} ${JSON.stringify(data)}`] as const),
    ...calls.map(({ at, action, ids: named, code, fault, executed, answered }) => {
      const how = `${executed ? '' : ' not executed'}${answered ? '' : ' not answered'}`;
      return [Date.parse(at), `    ${action} ${named.join(' ')} ${code ?? ''} ${fault ?? ''}${how}`] as const;
    }),
    ...started.flatMap(({ id, launchedAt, shutdownAt, reason, interruption, reservation: { spec } }) => [
      [launchedAt, `        ${id} starts: ${spec.type.instance_type} ${spec.market}`] as const,
      ...(interruption ? [[interruption.noticedAt, `        ${id} is to be taken back`] as const] : []),
      ...(shutdownAt === undefined ? [] : [[shutdownAt, `        ${id} ends: ${reason?.code}`] as const]),
    ]),
  ];
  return [
    `${request.request_id} ${request.status} ${request.machine_count} delivered ${request.delivered}: ${request.message}`,
    ...attempts.map(({ attempt, provider_instance, state, settled, incoming, stuck, order, handle, shortfall }) =>
      JSON.stringify({
        attempt,
        provider_instance,
        state,
        settled,
        incoming,
        stuck,
        count: order.machine_count,
        handle,
        shortfall,
      }),
    ),
    ...machines.map(
      ({ machine_id, attempt, status, going, created_at, ready_at, gone_at, lost }) =>
        `${machine_id} of ${attempt} ${status} ${going ?? ''} ${lost ? 'lost' : ''} seen ${since(created_at)} ready ${since(ready_at)} gone ${since(gone_at)}`,
    ),
    ...timed.toSorted(([a], [b]) => a - b).map(([at, text]) => `${since(at).padStart(6)} ${text}`),
  ].join('\n');
}
