import { fits } from '../../plugins/cloud-simulator/pattern.ts';
import { defaultKnobs, type KnobChange } from '../../plugins/cloud-simulator/knobs/knobs.ts';
import type { CapacityRule } from '../../plugins/cloud-simulator/knobs/launch-knobs.ts';
import { scenarios } from '../../plugins/cloud-simulator/knobs/scenarios.ts';
import type { Cell } from './cells.ts';
import type { Story } from './story.ts';
import { fieldsOf, marketsOf } from './ways.ts';

const home = 'us-east-1';

/** Two zones of each region. */
const subnets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'us-east-1': { 'us-east-1a': 'subnet-0e24c7ca3264c9054', 'us-east-1b': 'subnet-0c2d2d8f45fc0b149' },
  'us-west-2': { 'us-west-2a': 'subnet-09dac1fa74402cf3d', 'us-west-2b': 'subnet-09b19864835cc96ea' },
};

const regionsOf = ({ regions }: Story): readonly string[] => regions ?? [home];

/**
 * Which account each cell has its machines in: cells of one way want the same machine types, so each has another;
 * different ways have different types, and share accounts. Those that fall back to another region keep to themselves.
 * /
 */
function accountsOf(cells: readonly Cell[]): ReadonlyMap<Cell, string> {
  const used = new Map<Cell['way'], number>();
  return new Map(
    cells.map((cell) => {
      if (cell.story.regions) return [cell, 'regions'];
      const number = used.get(cell.way) ?? 0;
      used.set(cell.way, number + 1);
      return [cell, `account${number}`];
    }),
  );
}

const keyOf = (account: string): string => `AKIA${account.toUpperCase()}`;

export function providersOf(cells: readonly Cell[], endpoint_url: string): readonly object[] {
  const accounts = new Map([...accountsOf(cells)].map(([{ story }, account]) => [account, regionsOf(story)]));
  return [...accounts].flatMap(([account, regions]) =>
    regions.map((region, index) => ({
      name: `${account}-${region}`,
      type: 'cloud',
      priority: index + 1,
      // Nobody falls back to the account of others.
      weight: regions.length > 1 ? 10 : 0,
      config: {
        endpoint_url,
        region,
        access_key_id: keyOf(account),
        secret_access_key: 'test',
        // One for each order, which has to go with it.
        launch_template: { reuse_existing: false },
      },
      template_defaults: { subnet_ids: Object.values(subnets[region] ?? {}) },
    })),
  );
}

export const templatesOf = (cells: readonly Cell[]): readonly object[] =>
  [...accountsOf(cells)].map(([{ id, way, story }, account]) => ({
    template_id: id,
    ...fieldsOf(way),
    ...(story.regions ? {} : { provider_name: `${account}-${home}` }),
    ...story.template?.(way),
  }));

/** Want of places and machines that hang, of all cells. */
function rulesOf(cells: readonly Cell[]): Required<Pick<KnobChange, 'capacity' | 'stuck'>> {
  const own = [...accountsOf(cells)].map(([{ way, story }, account]) => ({
    account: keyOf(account),
    rules: story.rules?.(way) ?? {},
  }));
  return {
    capacity: own.flatMap(({ account, rules }) => (rules.capacity ?? []).map((rule) => ({ account, ...rule }))),
    stuck: own.flatMap(({ account, rules }) => (rules.stuck ?? []).map((rule) => ({ account, ...rule }))),
  };
}

/** The scenario, with what the cells want laid over it. */
export function knobsDuring(scenario: string, cells: readonly Cell[], seed: number): KnobChange {
  const base = scenarios[scenario]?.knobs ?? {};
  const { capacity, stuck } = rulesOf(cells);
  return {
    scenario,
    seed,
    capacity: [...(base.capacity ?? []), ...capacity],
    stuck: [...(base.stuck ?? []), ...stuck],
  };
}

/** Everything works again, but what the cells want stays. */
export function knobsAfter(scenario: string, cells: readonly Cell[]): KnobChange {
  const { stuck: _begun, ...changed } = scenarios[scenario]?.knobs ?? {};
  const back = Object.fromEntries(
    Object.keys(changed).map((name) => [name, defaultKnobs[name as keyof typeof defaultKnobs]]),
  );
  // An empty map merged with one that is not leaves it as it is.
  return { ...back, latency_ms: { '*': 0 }, capacity: rulesOf(cells).capacity };
}

/** How many machines a cell can have at once in a scenario, all its pools together. */
export function placesFor(scenario: string, { way, story }: Cell): number {
  const knobs = scenarios[scenario]?.knobs ?? {};
  const rules: readonly CapacityRule[] = [...(knobs.capacity ?? []), ...(story.rules?.(way).capacity ?? [])];
  const types = Object.keys(
    (story.template?.(way) as { machine_types?: object } | undefined)?.machine_types ?? fieldsOf(way).machine_types,
  );
  let places = 0;
  for (const region of regionsOf(story)) {
    for (const zone of Object.keys(subnets[region] ?? {})) {
      if (knobs.outages?.some((outage) => outage.from_ms === undefined && fits(outage.zone, zone))) continue;
      for (const type of types) {
        for (const market of marketsOf(way)) {
          const rule = rules.findLast(
            (each) =>
              (each.region ?? region) === region &&
              fits(each.zone, zone) &&
              fits(each.instance_type, type) &&
              fits(each.market, market),
          );
          places += rule?.count ?? Infinity;
        }
      }
    }
  }
  return places;
}
