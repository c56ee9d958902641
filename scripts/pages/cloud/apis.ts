import type { Plugin, ProviderApi } from '../../../core/index.ts';

/** The plugins that call the cloud. */
export const cloudPlugins = ['cloud', 'cloud-runinstances', 'cloud-ec2fleet', 'cloud-spotfleet', 'cloud-asg'];

/** The APIs that they contribute. */
export async function cloudApis(): Promise<readonly ProviderApi[]> {
  const loaded = await Promise.all(
    cloudPlugins.map(async (name) => (await import(`../../../plugins/${name}/index.ts`)).default as Plugin),
  );
  return loaded.flatMap(({ providerApis = [] }) => providerApis);
}

/** A table in Markdown. */
export const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');

/** The capabilities that the APIs declare. */
export function capabilitiesTable(apis: readonly ProviderApi[]): string {
  const yes = (is: boolean) => (is ? 'yes' : 'no');
  const rows = apis.map(({ name, capabilities: can }) => [
    name,
    can.supported_fleet_types.join(', ') || '–',
    yes(can.supports_on_demand),
    yes(can.supports_spot),
    can.offers_per_launch === 'one' ? 'one type, subnet and market' : 'all that the template allows',
    String(can.machines_per_launch),
    String(can.max_instances),
  ]);
  return tableOf(
    ['API', 'Fleet types', 'On-Demand', 'Spot', 'One order names', 'Machines an order', 'Machines a request'],
    rows,
  );
}
