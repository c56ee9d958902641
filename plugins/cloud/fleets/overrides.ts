import type { CloudTemplate } from '../template/fields.ts';
import { isWeighted, weightOf, type Pool } from '../launch/pools.ts';
import { isPrioritized } from './strategies.ts';
import { type TemplateVersion } from '../launch/launch-template.ts';

/**
 * One override for each type and subnet: an error of a fleet names its pool only as far as the override does. `price`
 * is the name of the price limit in the API.
 */
export function overridesOf(
  template: CloudTemplate,
  pools: readonly Pool[],
  price: 'MaxPrice' | 'SpotPrice',
): object[] {
  const places = [...new Map(pools.map((pool) => [`${pool.machine_type}|${pool.subnet_id}`, pool])).values()];
  const types = [...new Set(places.map((pool) => pool.machine_type))];
  const weighted = isWeighted(template);
  const overrides = places.map(({ machine_type, subnet_id }) => ({
    ...(machine_type === undefined ? {} : { InstanceType: machine_type }),
    ...(machine_type !== undefined || template.instance_requirements === undefined
      ? {}
      : { InstanceRequirements: template.instance_requirements }),
    ...(subnet_id === undefined ? {} : { SubnetId: subnet_id }),
    ...(weighted ? { WeightedCapacity: weightOf(template, machine_type) } : {}),
    ...(isPrioritized(template) ? { Priority: types.indexOf(machine_type) } : {}),
    ...(template.max_price === undefined ? {} : { [price]: String(template.max_price) }),
  }));
  return overrides.filter((override) => Object.keys(override).length > 0);
}

interface Config {
  readonly Overrides?: readonly {
    readonly InstanceType?: string;
    readonly WeightedCapacity?: number | string | null;
  }[];
}

const overridesIn = (configs: readonly unknown[]) => (configs as Config[]).flatMap((config) => config.Overrides ?? []);

/** Units of capacity by machine type in the overrides that are sent: a native specification may have changed them. */
export function weightsIn(configs: unknown): Record<string, number> {
  const overrides = Array.isArray(configs) ? overridesIn(configs) : [];
  return Object.fromEntries(
    overrides.flatMap(({ InstanceType, WeightedCapacity }) =>
      InstanceType === undefined || WeightedCapacity === undefined || WeightedCapacity === null
        ? []
        : [[InstanceType, Number(WeightedCapacity)] as const],
    ),
  );
}

/**
 * The least units of capacity of one machine, where a native specification has configurations: the fleet counts by its
 * overrides, whatever the weights of the template are. Undefined: the native specification has no configurations.
 */
export function nativeUnit(configs: unknown): number | undefined {
  if (!Array.isArray(configs)) return undefined;
  const weights = overridesIn(configs).map(({ WeightedCapacity }) => Number(WeightedCapacity ?? 1));
  return weights.length === 0 ? 1 : Math.min(...weights);
}

/**
 * The configurations of a fleet, with the launch template of its order where a native specification names none.
 * Standing fleets always use the launch template of the order: otherwise their machines would have no tags.
 */
export function configsWith(configs: unknown, { id, version }: TemplateVersion, standing: boolean): unknown {
  const LaunchTemplateSpecification = { LaunchTemplateId: id, Version: version };
  if (!Array.isArray(configs)) return configs;
  return configs.map((config: object) =>
    standing ? { ...config, LaunchTemplateSpecification } : { LaunchTemplateSpecification, ...config },
  );
}
