import { systemClock } from '../../../core/contract/clock.ts';
import { silentLog } from '../../../core/contract/log.ts';
import { isTerminal } from '../../../core/model/request.ts';
import type { Store } from '../../../core/contract/storage.ts';
import type { Ledger } from '../../../plugins/cloud-simulator/dispatch/ledger.ts';
import { sqliteStorage } from '../../../plugins/storage-sqlite/sqlite-storage.ts';
import { until } from '../support/until.ts';
import type { Standard } from './judge.ts';

/** Opens the store in a file. */
export const sqliteAt = (path: string) => (): Promise<Store> =>
  Promise.resolve(sqliteStorage.open({ path }, { clock: systemClock, log: silentLog }));

/** What the broker stored, once everything was given back, held against what was ever started. */
export async function judgeStore(
  open: () => Promise<Store>,
  ledger: Ledger,
  { exact, within_ms }: Standard,
): Promise<readonly string[]> {
  const store = await open();
  try {
    // What the cloud no longer has is put away in the store a moment later.
    await until('the end of all', async () => (await contradictions(store, ledger, exact)).length === 0, {
      within_ms,
      every_ms: 100,
    }).catch(() => undefined);
    return await contradictions(store, ledger, exact);
  } finally {
    await store.close();
  }
}

async function contradictions(store: Store, { launches }: Ledger, exact: boolean): Promise<string[]> {
  const [requests, attempts, machines] = await Promise.all([
    store.find('request', {}),
    store.find('attempt', {}),
    store.find('machine', {}),
  ]);
  const reserved = await store.reserved({});
  const tokens = attempts.map(({ token }) => token);
  const readyOf = Map.groupBy(
    machines.filter(({ ready_at }) => ready_at !== undefined),
    ({ request_id }) => request_id,
  );
  const startedOf = new Map<string, number>();
  for (const { request_id, token } of attempts)
    startedOf.set(request_id, (startedOf.get(request_id) ?? 0) + (launches[token] ?? 0));
  const ordered = new Map(attempts.map(({ token, order }) => [token, order.machine_count]));
  return [
    ...(Object.values(reserved).every((amount) => amount === 0)
      ? []
      : [`budgets count what nothing holds: ${JSON.stringify(reserved)}`]),
    ...tokens.filter((token, i) => tokens.indexOf(token) !== i).map((token) => `two attempts have the token ${token}`),
    ...Object.entries(launches).flatMap(([token, count]) => {
      const due = ordered.get(token);
      if (due === undefined) return [`${count} machines were started under ${token}, which no attempt has`];
      return count > due ? [`${count} machines were started under ${token}, and ${due} were ordered`] : [];
    }),
    ...requests.flatMap(({ request_id, kind, machine_count, delivered, holds }) => {
      const started = startedOf.get(request_id) ?? 0;
      const ready = readyOf.get(request_id)?.length ?? 0;
      return [
        // Where no deadline came early no machine failed, so none was ordered anew.
        ...(exact && started > machine_count
          ? [`${started} machines were started for ${request_id}, which asked for ${machine_count}`]
          : []),
        ...(kind === 'return' || delivered === ready
          ? []
          : [`${request_id} counts ${delivered} delivered; ${ready} machines of it were ready`]),
        ...(holds === 0 ? [] : [`${request_id} holds ${holds} machines, and has none`]),
      ];
    }),
    ...requests
      .filter(({ status }) => !isTerminal(status))
      .map(({ request_id, status }) => `${request_id} is stored as ${status}`),
    // One that came up while no broker ran, and whose clock was set meanwhile, may count as too slow; it has to be
    // gone like the others.
    ...machines
      .filter(
        ({ status, gone_at }) => gone_at === undefined || (status !== 'terminated' && (exact || status !== 'failed')),
      )
      .map(({ machine_id, status }) => `${machine_id} is stored as ${status}`),
    // Of machines that are started one by one nothing is kept.
    ...attempts
      .filter(({ disposed, handle, api }) => handle !== undefined && api !== 'RunInstances' && !disposed)
      .map(({ token, api }) => `${token} (${api}) was not put away`),
  ];
}
