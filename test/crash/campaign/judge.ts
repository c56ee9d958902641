import { chunks } from '../../../core/collections/chunks.ts';
import type { Ledger } from '../../../plugins/cloud-simulator/dispatch/ledger.ts';
import type { Simulator } from '../../../plugins/cloud-simulator/server/server.ts';
import { until } from '../support/until.ts';
import type { Caller } from './caller.ts';
import { judgeStatus } from './judge-status.ts';
import { lives, type Told } from './stories.ts';

/** The most machines that one call gives back. */
const mostOfCall = 10_000;

export interface Standard {
  /** Launch templates hold contents that later requests may share, and stay. */
  readonly shared: boolean;
  /** Every caller has all that was asked for and could be had; else perhaps less, since a deadline came early. */
  readonly exact: boolean;
  /** How long agreement may take. */
  readonly within_ms: number;
}

/**
 * All that must hold when nothing moves any more, and again after everything was given back. What does not hold, in
 * sentences.
 */
export async function judge(
  told: readonly Told[],
  caller: Caller,
  cloud: Simulator,
  { shared, exact, within_ms }: Standard,
): Promise<readonly string[]> {
  const waiting = { within_ms, every_ms: 100 };
  const { body } = await caller.call('GET', '/requests/?limit=1000');
  const known: readonly string[] = body.requests.map(caller.dialect.requestId);
  const own = known.filter((id) => id.startsWith('req-'));
  const wrong = acknowledged(told, known);
  for (const { template_id } of told)
    if (template_id !== undefined && (await caller.call('GET', `/templates/${template_id}`)).status !== 200)
      wrong.push(`the template ${template_id} was acknowledged and is gone`);

  for (const id of known) await caller.ended(id);
  const settled = await until(
    'agreement',
    async () => (await disagreements(own, caller, cloud)).length === 0,
    waiting,
  ).catch(() => false);
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
  for (const part of chunks(left, mostOfCall))
    await caller.ended(await caller.giveBack(part.map(({ machine_id }) => machine_id)));
  const empty = await until('an empty cloud', async () => remains(cloud.ledger(), shared).length === 0, waiting).catch(
    () => false,
  );
  if (!empty)
    wrong.push(
      ...remains(cloud.ledger(), shared).map((each) => `left behind after everything was given back: ${each}`),
    );
  return wrong;
}

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
  return [
    ...seen.flatMap(({ request_id, machines }) => {
      const said = new Set(machines.filter(lives).map(({ machine_id }) => machine_id));
      const there = new Set(live[request_id]);
      const unknown = [...there].filter((id) => !said.has(id));
      const gone = [...said].filter((id) => !there.has(id));
      if (unknown.length + gone.length === 0) return [];
      return [
        `${request_id}: it says ${said.size}, and the cloud has ${there.size}; only the cloud has ${few(unknown)}, only it has ${few(gone)}`,
      ];
    }),
    ...Object.keys(live)
      .filter((id) => !own.includes(id))
      .map((id) => `the cloud has machines of ${id}, which nobody knows`),
    ...untagged.map((id) => `${id} belongs to no request`),
  ];
}

function few(ids: readonly string[]): string {
  const shown = ids.slice(0, 2).join(' ') || 'none';
  return ids.length > 2 ? `${shown} and ${ids.length - 2} more` : shown;
}

/** Machines that were given back and live. */
async function kept({ request_id, returned }: Told, caller: Caller): Promise<string[]> {
  const { machines } = await caller.seen(request_id);
  return machines
    .filter((machine) => lives(machine) && returned.includes(machine.machine_id))
    .map(({ machine_id }) => machine_id);
}

/** Each caller has what was asked for, less what was given back. */
async function due(
  { story, request_id, cancelled, returned }: Told,
  caller: Caller,
  exact: boolean,
): Promise<string[]> {
  const seen = await caller.seen(request_id);
  const alive = new Set(seen.machines.filter(lives).map(({ machine_id }) => machine_id));
  const has = `${request_id} (${story.way}, ${story.supply}, ${seen.status}) has ${alive.size} of ${story.machine_count}`;
  if (cancelled) return alive.size === 0 ? [] : [`${has}, and was cancelled`];
  const living = returned.filter((id) => alive.has(id));
  const back = [
    ...(living.length === 0 ? [] : [`${has}: ${few(living)} was given back and lives`]),
    ...(exact ? judgeStatus(seen, story.machine_count, caller.dialect) : []),
  ];
  const wanted = story.machine_count - returned.length;
  const wrong = story.supply === 'partial' || !exact ? alive.size > wanted : alive.size !== wanted;
  return wrong ? [...back, `${has}, ${returned.length} given back`] : back;
}

/** `shared`: launch templates hold contents that requests of next week may share. */
function remains({ live, untagged, fleets, spot_fleets, groups, templates }: Ledger, shared: boolean): string[] {
  return [
    ...Object.values(live).flat(),
    ...untagged,
    ...fleets,
    ...spot_fleets,
    ...groups,
    ...(shared ? [] : templates),
  ];
}
