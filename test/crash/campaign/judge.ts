import { isTerminal } from '../../../core/model/request.ts';
import { silentLog } from '../../../core/log.ts';
import { systemClock } from '../../../core/clock.ts';
import { sqliteStorage } from '../../../plugins/storage-sqlite/sqlite-storage.ts';
import type { Store } from '../../../core/storage.ts';
import type { Ledger } from '../../../plugins/cloud-simulator/ledger.ts';
import type { Simulator } from '../../../plugins/cloud-simulator/server.ts';
import { until } from '../support/until.ts';
import type { Caller } from './caller.ts';
import { lives, type Told } from './stories.ts';

export interface Standard {
  /** Launch templates hold contents that later requests may share, and stay. */
  readonly shared: boolean;
  /** Every caller has all that was asked for and could be had; else perhaps less, since a deadline came early. */
  readonly exact: boolean;
}

/** All that must hold when nothing moves any more, and again after everything was given back. What does not hold, in sentences. */
export async function judge(
  told: readonly Told[],
  caller: Caller,
  cloud: Simulator,
  { shared, exact }: Standard,
): Promise<readonly string[]> {
  const { body } = await caller.call('GET', '/requests/?limit=1000');
  const known: readonly string[] = body.requests.map(caller.dialect.requestId);
  const own = known.filter((id) => id.startsWith('req-'));
  const wrong = acknowledged(told, known);
  for (const { template_id } of told)
    if (template_id !== undefined && (await caller.call('GET', `/templates/${template_id}`)).status !== 200)
      wrong.push(`the template ${template_id} was acknowledged and is gone`);

  for (const id of known) await caller.ended(id);
  const settled = await until('agreement', async () => (await disagreements(own, caller, cloud)).length === 0, waiting).catch(() => false);
  if (!settled) wrong.push(...(await disagreements(own, caller, cloud)));
  // Where a deadline came early, a return ends before its machines; they stay wanted gone.
  if (!exact)
    await until(
      'what was given back',
      async () => (await Promise.all(told.map((each) => kept(each, caller)))).flat().length === 0,
      waiting,
    );
  for (const each of told) wrong.push(...(await due(each, caller, exact)));

  const left = (await Promise.all(own.map((id) => caller.seen(id)))).flatMap(({ machines }) => machines.filter(lives));
  if (left.length > 0) await caller.ended(await caller.giveBack(left.map(({ machine_id }) => machine_id)));
  const empty = await until('an empty cloud', async () => remains(cloud.ledger(), shared).length === 0, waiting).catch(() => false);
  if (!empty) wrong.push(...remains(cloud.ledger(), shared).map((each) => `left behind after everything was given back: ${each}`));
  return wrong;
}

const waiting = { within_ms: 25_000, every_ms: 100 };

function acknowledged(told: readonly Told[], known: readonly string[]): string[] {
  return told
    .flatMap(({ request_id, returns }) => [request_id, ...returns])
    .filter((id) => !known.includes(id))
    .map((id) => `${id} was acknowledged and is not there`);
}

/** The broker says of each request what the cloud has of it; the cloud has nothing beyond. */
async function disagreements(own: readonly string[], caller: Caller, cloud: Simulator): Promise<string[]> {
  const seen = await Promise.all(own.map((id) => caller.seen(id)));
  const { live, untagged } = cloud.ledger();
  const list = (ids: readonly string[]) => ids.toSorted().join(' ') || 'none';
  return [
    ...seen.flatMap(({ request_id, machines }) => {
      const said = list(machines.filter(lives).map(({ machine_id }) => machine_id));
      const there = list(live[request_id] ?? []);
      return said === there ? [] : [`${request_id}: it says ${said}, and the cloud has ${there}`];
    }),
    ...Object.keys(live)
      .filter((id) => !own.includes(id))
      .map((id) => `the cloud has machines of ${id}, which nobody knows`),
    ...untagged.map((id) => `${id} belongs to no request`),
  ];
}

/** Machines that were given back and live. */
async function kept({ request_id, returned }: Told, caller: Caller): Promise<string[]> {
  const { machines } = await caller.seen(request_id);
  return machines.filter((machine) => lives(machine) && returned.includes(machine.machine_id)).map(({ machine_id }) => machine_id);
}

/** Each caller has what was asked for, less what was given back. */
async function due({ story, request_id, cancelled, returned }: Told, caller: Caller, exact: boolean): Promise<string[]> {
  const { status, machines } = await caller.seen(request_id);
  const alive = machines.filter(lives).map(({ machine_id }) => machine_id);
  const has = `${request_id} (${story.way}, ${story.supply}, ${status}) has ${alive.length} of ${story.machine_count}`;
  if (cancelled) return alive.length === 0 ? [] : [`${has}, and was cancelled`];
  const back = returned.filter((id) => alive.includes(id)).map((id) => `${has}: ${id} was given back and lives`);
  const wanted = story.machine_count - returned.length;
  const wrong = story.supply === 'partial' || !exact ? alive.length > wanted : alive.length !== wanted;
  return wrong ? [...back, `${has}, ${returned.length} given back`] : back;
}

/** `shared`: launch templates hold contents that requests of next week may share. */
function remains({ live, untagged, fleets, spot_fleets, groups, templates }: Ledger, shared: boolean): string[] {
  return [...Object.values(live).flat(), ...untagged, ...fleets, ...spot_fleets, ...groups, ...(shared ? [] : templates)];
}

/** What the broker stored, once everything was given back, held against what was ever started. */
export async function judgeStore(file: string, ledger: Ledger): Promise<readonly string[]> {
  const store = await sqliteStorage.open({ path: file }, { clock: systemClock, log: silentLog });
  try {
    // What the cloud no longer has is put away in the store a moment later.
    await until('the end of all', async () => (await contradictions(store, ledger)).length === 0, waiting).catch(() => undefined);
    return await contradictions(store, ledger);
  } finally {
    await store.close();
  }
}

async function contradictions(store: Store, { launches }: Ledger): Promise<string[]> {
  const [requests, attempts, machines] = await Promise.all([
    store.find('request', {}),
    store.find('attempt', {}),
    store.find('machine', {}),
  ]);
  const tokens = attempts.map(({ token }) => token);
  const ordered = new Map(attempts.map(({ token, order }) => [token, order.machine_count]));
  return [
    ...tokens.filter((token, i) => tokens.indexOf(token) !== i).map((token) => `two attempts have the token ${token}`),
    ...Object.entries(launches).flatMap(([token, count]) => {
      const due = ordered.get(token);
      if (due === undefined) return [`${count} machines were started under ${token}, which no attempt has`];
      return count > due ? [`${count} machines were started under ${token}, and ${due} were ordered`] : [];
    }),
    ...requests.filter(({ status }) => !isTerminal(status)).map(({ request_id, status }) => `${request_id} is stored as ${status}`),
    ...machines.filter(({ status }) => status !== 'terminated').map(({ machine_id, status }) => `${machine_id} is stored as ${status}`),
    // Of machines that are started one by one nothing is kept.
    ...attempts
      .filter(({ disposed, handle, api }) => handle !== undefined && api !== 'RunInstances' && !disposed)
      .map(({ token, api }) => `${token} (${api}) was not put away`),
  ];
}
