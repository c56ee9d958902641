import type { Instance } from '@aws-sdk/client-ec2';
import { isFault, type Call, type Observation, ProviderFault, type Watched } from '../../core/index.ts';
import { describeInstances, inTurn, packed, valuesPerFilter } from './describe.ts';
import type { CloudTemplate } from './fields.ts';
import { lateShortfall, reportOf } from './machines.ts';
import { poolsOf, weightOf } from './pools.ts';
import { reclaimsOf } from './reclaims.ts';
import type { CloudSession } from './session.ts';
import { ownTags, tagValue } from './tags.ts';

/** A machine that old and yet not listed may have lost its tags; before that, the cloud may be slow to list it. */
const tagsDoubtedAfterMs = 60_000;
/** Up to so many machines are asked for by id, when all are known: one question, however many ended ones their requests still show. */
const fewMachines = valuesPerFilter;

export interface ObserveOptions {
  /** Machines may appear that nobody knows yet: the tag is asked for always, because a question by id finds only known ones. */
  readonly arriving?: boolean;
  /** Units of capacity of a machine. Default: what the template says of its type. */
  readonly weight?: (watched: Watched, instance: Instance) => number;
}

/**
 * Observes attempts, in as few questions as possible: by the tag of the request, up to 200 requests and about 1000 machines in each; by id
 * where all machines came with the launch and few known ones are left, and for known ones that the tag did not find. Settled, as far as the
 * machines tell: whether a fleet starts more is for its keeper to say.
 */
export async function observeMachines<H extends object>(
  session: CloudSession,
  watched: readonly Watched<H>[],
  call: Call,
  options: ObserveOptions = {},
): Promise<(Observation<H> | ProviderFault)[]> {
  const found = new Map<string, Instance>();
  const faults = new Map<string, ProviderFault>();
  const known = new Set(watched.flatMap((each) => each.known.map((machine) => machine.machine_id)));

  const byId = !options.arriving && known.size <= fewMachines && watched.every((each) => each.known.length > 0);
  if (byId) await askByIds(session, [...known], found, faults, call);
  else {
    await askByRequests(session, watched, found, faults, call);
    const doubted = watched.flatMap(({ order, known: machines }) =>
      faults.has(order.request_id)
        ? []
        : machines.filter(({ machine_id, launched_at }) => !found.has(machine_id) && isOld(session, launched_at)),
    );
    await askByIds(
      session,
      doubted.map((machine) => machine.machine_id),
      found,
      faults,
      call,
    );
  }

  const reclaims = await reclaimsOf(session, found.values(), call);
  const byAttempt = Map.groupBy(found.values(), ({ Tags }) => attemptKey(tagValue(Tags, ownTags.request), tagValue(Tags, ownTags.attempt)));
  return watched.map((each) => {
    const { order } = each;
    const fault =
      faults.get(order.request_id) ?? each.known.map((machine) => faults.get(machine.machine_id)).find((one) => one !== undefined);
    if (fault) return fault;
    const instances = mine(each, found, byAttempt.get(attemptKey(order.request_id, String(order.attempt))) ?? []);
    return observation(each, instances, reclaims, options);
  });
}

function observation<H extends object>(
  watched: Watched<H>,
  instances: readonly Instance[],
  reclaims: ReadonlyMap<string, string>,
  options: ObserveOptions,
): Observation<H> {
  const template = watched.order.template as CloudTemplate;
  const pending = new Set(watched.known.filter((machine) => machine.status === 'pending').map((machine) => machine.machine_id));
  const neverRan = instances.filter((instance) => pending.has(instance.InstanceId ?? ''));
  const shortfall = lateShortfall(neverRan, poolsOf(template));
  return {
    machines: instances.map((instance) => {
      const report = reportOf(instance, options.weight?.(watched, instance) ?? weightOf(template, instance.InstanceType));
      const reclaim_at = reclaims.get(report.machine_id);
      return reclaim_at === undefined ? report : { ...report, reclaim_at };
    }),
    settled: true,
    ...(shortfall.length === 0 ? {} : { shortfall }),
  };
}

/** Those tagged as this attempt's, and those that it is known to have even without tags. */
function mine(watched: Watched, found: ReadonlyMap<string, Instance>, tagged: readonly Instance[]): Instance[] {
  const ids = new Set(tagged.map((instance) => instance.InstanceId));
  const untagged = watched.known.flatMap(({ machine_id }) => (ids.has(machine_id) ? [] : (found.get(machine_id) ?? [])));
  return [...tagged, ...untagged];
}

async function askByRequests(
  session: CloudSession,
  watched: readonly Watched[],
  found: Map<string, Instance>,
  faults: Map<string, ProviderFault>,
  call: Call,
) {
  const requests = new Map<string, number>();
  for (const { order, known } of watched) {
    requests.set(order.request_id, (requests.get(order.request_id) ?? 0) + (known.length || order.machine_count));
  }
  const packs = packed([...requests].map(([value, machines]) => ({ value, machines })));
  await ask(packs, `tag:${ownTags.request}`, session, found, faults, call);
}

async function askByIds(
  session: CloudSession,
  ids: readonly string[],
  found: Map<string, Instance>,
  faults: Map<string, ProviderFault>,
  call: Call,
) {
  await ask(packed(ids.map((value) => ({ value, machines: 1 }))), 'instance-id', session, found, faults, call);
}

async function ask(
  packs: readonly string[][],
  filter: string,
  session: CloudSession,
  found: Map<string, Instance>,
  faults: Map<string, ProviderFault>,
  call: Call,
): Promise<void> {
  const answers = await inTurn(packs, (Values) => describeInstances(session, [{ Name: filter, Values }], call));
  answers.forEach((answer, index) => {
    if (answer.status === 'fulfilled') {
      for (const instance of answer.value) if (instance.InstanceId) found.set(instance.InstanceId, instance);
      return;
    }
    if (!isFault(answer.reason)) throw answer.reason;
    for (const value of packs[index] ?? []) faults.set(value, answer.reason);
  });
}

const attemptKey = (request: string | undefined, attempt: string | undefined): string => `${request}#${attempt}`;

function isOld(session: CloudSession, launchedAt: string | undefined): boolean {
  return launchedAt === undefined || session.clock.now() - Date.parse(launchedAt) > tagsDoubtedAfterMs;
}
