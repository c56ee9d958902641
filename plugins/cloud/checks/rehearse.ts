import { randomUUID } from 'node:crypto';
import {
  isFault,
  type Call,
  type CheckedTemplate,
  type LaunchOrder,
  type MachineRef,
  type ProviderFault,
} from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import type { Pool } from '../launch/pools.ts';
import { isDenied } from '../faults/denied.ts';
import type { DryCall } from './dry-session.ts';

/** The most orders of one template: enough for every type, place and market of most templates. */
const mostOrders = 12;
/** How long the calls after a launch may take, which look for machines that do not exist. */
const afterMs = 6_000;

/**
 * Runs orders of a template through its API with a dry session, from their preparation to their disposal. Returns the
 * faults of preparations and launches that are no denials; the session has recorded all denials.
 */
export async function rehearse(
  dry: CloudSession,
  { template, api }: CheckedTemplate,
  calls: readonly DryCall[],
  call: Call,
): Promise<readonly ProviderFault[]> {
  const pools = (api.offers?.(template) ?? []) as readonly Pool[];
  const covering = coverOf(pools).slice(0, mostOrders);
  const orders =
    api.capabilities.offers_per_launch === 'one' && pools.length > 0 ? covering.map((pool) => [pool]) : [pools];
  const faults = new Map<string, ProviderFault>();
  const note = (fault: unknown): void => {
    if (!isFault(fault)) throw fault;
    if (fault.code !== 'DryRunOperation' && !isDenied(fault)) faults.set(fault.message, fault);
  };
  for (const [index, offers] of orders.entries()) {
    const order = orderOf(template, offers);
    try {
      const prepared: unknown = await api.prepare?.(dry, order, call);
      const sent = { ...order, prepared } as LaunchOrder<any, any>;
      const { handle } = await api.launch(dry, sent, call);
      if (index === 0) await afterLaunch(dry, { api, order: sent, handle }, call);
    } catch (fault) {
      note(fault);
    }
  }
  if (api.capabilities.offers_per_launch === 'many') await launchAsCaller(dry, covering, calls, call).catch(note);
  return [...faults.values()];
}

const orderOf = (template: CheckedTemplate['template'], offers: readonly Pool[]): LaunchOrder<any> => ({
  request_id: 'req-doctor',
  attempt: 1,
  token: `doctor${randomUUID().replaceAll('-', '')}`,
  machine_count: 1,
  template,
  ...(offers.length > 0 ? { offers } : {}),
  tags: {},
  prepared: undefined,
});

interface Launched {
  readonly api: CheckedTemplate['api'];
  readonly order: LaunchOrder<any, any>;
  readonly handle: object;
}

/** Observes, releases and disposes of what was not launched. Only denials are of interest; the session records them. */
async function afterLaunch(dry: CloudSession, { api, order, handle }: Launched, call: Call): Promise<void> {
  const [machine, other] = ['i-00000000000000000', 'i-00000000000000001'].map((machine_id) => ({
    machine_id,
    status: 'running' as const,
  })) as [MachineRef, MachineRef];
  const steps = [
    (now: Call) => api.observe(dry, [{ handle, order, known: [machine] }], now),
    (now: Call) => api.release(dry, handle, { go: [machine], stay: [other], incoming: 0 }, now),
    (now: Call) => api.release(dry, handle, { go: [machine, other], stay: [], incoming: 0 }, now),
    (now: Call) => api.dispose?.(dry, { order, handle }, now),
  ];
  for (const step of steps) {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(afterMs)]);
    // Nothing of it exists, so that other faults than denials are expected.
    await Promise.resolve(step({ ...call, signal })).catch(() => undefined);
    call.signal.throwIfAborted();
  }
}

/**
 * A fleet and a group start machines with what the caller may launch: the same machine as a launch of its own, as a
 * dry run.
 */
async function launchAsCaller(
  dry: CloudSession,
  pools: readonly Pool[],
  calls: readonly DryCall[],
  call: Call,
): Promise<void> {
  const made = calls.findLast(({ action }) => action.startsWith('CreateLaunchTemplate'));
  const data = made?.input['LaunchTemplateData'] as Readonly<Record<string, any>> | undefined;
  if (!data || data['InstanceRequirements'] !== undefined) return;
  for (const { machine_type, subnet_id, market } of pools) {
    const { NetworkInterfaces: interfaces, ...rest } = data as { readonly NetworkInterfaces?: readonly object[] };
    const [first, ...others] = interfaces ?? [];
    const placed = subnet_id === undefined ? {} : { SubnetId: subnet_id };
    const place =
      first === undefined
        ? placed
        : {
            NetworkInterfaces: [{ ...first, ...placed }, ...others],
          };
    const type = machine_type === undefined ? {} : { InstanceType: machine_type };
    const spot = market === 'spot' ? { InstanceMarketOptions: { MarketType: 'spot' } } : {};
    const input = { ...rest, ...place, ...type, ...spot, MinCount: 1, MaxCount: 1 };
    await dry.write((ec2) => new ec2.RunInstancesCommand(input as never), call);
  }
}

/** Some pools that have among them every type, every place and every market. */
function coverOf(pools: readonly Pool[]): readonly Pool[] {
  const seen = new Set<string>();
  return pools.filter(({ machine_type, subnet_id, market }) => {
    const parts = [`type ${machine_type}`, `place ${subnet_id}`, `market ${market}`];
    const adds = parts.some((part) => !seen.has(part));
    for (const part of parts) seen.add(part);
    return adds;
  });
}
