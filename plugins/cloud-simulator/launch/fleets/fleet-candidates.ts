import { priceOf } from '../../capacity.ts';
import type { CallContext } from '../../state/call-context.ts';
import type { UnitType } from '../../state/fleets/fleet-target.ts';
import type { FleetError, FleetPool } from '../../state/fleets/fleet-pool.ts';
import { AwsError, invalidCombination } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { overlay } from './fleet-overlay.ts';
import type { PlanPool } from './fleet-plan.ts';
import { typesFor } from '../requirements/instance-requirements.ts';
import { readLaunchSpec } from '../specification/read-launch-spec.ts';
import type { LaunchSpec, Market } from '../specification/launch-spec.ts';
import { templateNames } from '../specification/template-data.ts';
import { checkLaunch, type Launcher } from '../permission.ts';
import { type Placement, place } from '../place.ts';

/** A launch of one type in one place that a pool allows. */
export interface Candidate extends PlanPool {
  readonly pool: FleetPool;
  readonly spec: LaunchSpec;
  readonly placement: Placement;
}

/** The pools of a fleet, how it counts capacity, and who starts its machines. */
interface Sources {
  readonly pools: readonly FleetPool[];
  readonly unit: UnitType;
  readonly launcher: Launcher;
}

/** All launches in a market that pools allow, and the errors of those that are refused regardless of capacity. */
export function candidatesOf(
  context: CallContext,
  { pools, unit, launcher }: Sources,
  market: Market,
): { readonly candidates: readonly Candidate[]; readonly refused: readonly FleetError[] } {
  const candidates: Candidate[] = [];
  const refused: FleetError[] = [];
  const attempt = <Result>(pool: FleetPool, run: () => Result): Result | undefined => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      refused.push({ poolXml: pool.xml, market, code: error.code, message: error.message });
      return undefined;
    }
  };
  for (const pool of pools) {
    for (const launch of attempt(pool, () => launchesOf(context, pool, market, unit)) ?? []) {
      const found = attempt(pool, () => candidate(context, pool, launch, { market, unit, launcher }));
      if (found === undefined) continue;
      // Attributes select a type only in zones that offer it.
      if (pool.requirements === undefined || found.placement.refusal.code !== 'Unsupported') candidates.push(found);
    }
  }
  return { candidates, refused };
}

function candidate(
  context: CallContext,
  pool: FleetPool,
  { params, data }: Launch,
  { market, unit, launcher }: { readonly market: Market } & Omit<Sources, 'pools'>,
): Candidate {
  const bare = readLaunchSpec(context, params, data, market);
  if (bare.network.address !== undefined)
    throw invalidCombination('A fleet cannot launch machines with a private address of their own.');
  const weight = unit === 'vcpu' ? bare.type.vcpus : unit === 'memory-mib' ? bare.type.memory_mib : pool.weight;
  const spec = {
    ...bare,
    template: pool.from,
    ...(pool.maxPrice === undefined ? {} : { maxPrice: pool.maxPrice * weight }),
  };
  const placement = place(context, spec);
  checkLaunch(context, launcher, {
    spec,
    subnet: placement.subnet.id,
    template: templateNames(context, pool.template),
  });
  return {
    pool,
    spec,
    placement,
    type: spec.type.instance_type,
    zone: placement.pool.zone,
    weight,
    priority: pool.priority,
    price: priceOf(context, placement.pool),
    room: placement.room,
    bounds: placement.bounds,
  };
}

interface Launch {
  readonly params: Params;
  readonly data: Params;
}

// Parameters of an override that can mean several launches, or a price that depends on the weight.
const decided = new Set(['InstanceType', 'SubnetId', 'AvailabilityZone', 'MaxPrice']);

function launchesOf(context: CallContext, pool: FleetPool, market: Market, unit: UnitType): Launch[] {
  if (pool.refusal !== undefined) throw pool.refusal;
  const types = typesOf(context, pool, market, unit);
  // A subnet determines the zone; a single zone next to it must agree.
  const zone = pool.zones.length === 1 ? pool.zones[0] : undefined;
  const places =
    pool.subnets.length > 0
      ? pool.subnets.map((subnet) => ({ subnet, zone }))
      : (pool.zones.length === 0 ? [undefined] : pool.zones).map((name) => ({ subnet: undefined, zone: name }));
  const rest = Object.fromEntries(Object.entries(pool.override).filter(([name]) => !decided.has(name)));
  const placement = part(pool.override, 'Placement');
  if (placement !== undefined)
    rest['Placement'] = Object.fromEntries(Object.entries(placement).filter(([name]) => name !== 'AvailabilityZone'));
  return types.flatMap((type) =>
    places.map((one) => {
      const laid = {
        ...rest,
        ...given('InstanceType', type),
        ...given('SubnetId', one.subnet),
        ...given('AvailabilityZone', one.zone),
      };
      const { params, data } = overlay(laid, pool.data);
      return { params: { ...params, TagSpecification: pool.tags }, data };
    }),
  );
}

function given(name: string, value: string | undefined): Params {
  return value === undefined ? {} : { [name]: value };
}

function typesOf(context: CallContext, pool: FleetPool, market: Market, unit: UnitType): (string | undefined)[] {
  if (pool.requirements === undefined) return [text(pool.override, 'InstanceType')];
  if (pool.override['InstanceRequirements'] === undefined && text(pool.data, 'InstanceType') !== undefined)
    throw invalidCombination('InstanceType and InstanceRequirements may not be specified together.');
  const image = text(pool.override, 'ImageId') ?? text(pool.data, 'ImageId') ?? '';
  const arch = context.state.network.image(image)?.arch;
  const types = typesFor(context, pool.requirements, market, { arch, unit });
  if (types.length === 0)
    throw new AwsError(
      'InvalidFleetConfiguration',
      'No instance type has the attributes that InstanceRequirements ask for.',
    );
  return types.map((type) => type.instance_type);
}
