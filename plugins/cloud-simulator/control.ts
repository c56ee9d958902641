import { instanceTypes, regions } from './catalogue.ts';
import { readLedger } from './ledger.ts';
import type { Simulation } from './simulation.ts';
import type { Health } from './simulator-place.ts';
import { accountOf } from './wire/caller.ts';

export interface ControlReply {
  readonly status: number;
  readonly body: unknown;
}

type Route = (simulation: Simulation, query: URLSearchParams, body: unknown, identity: Health) => unknown;

const routes: Readonly<Record<string, Route>> = {
  'GET /_sim/health': (_simulation, _query, _body, identity) => identity,
  'GET /_sim/knobs': (simulation) => simulation.knobs.current,
  'POST /_sim/knobs': (simulation, _query, body) => simulation.knobs.turn(body),
  'POST /_sim/clock': (simulation, _query, body) => {
    simulation.clock.advance(field(body, 'advance_ms', 'number') ?? 0);
    return { now: new Date(simulation.clock.now()).toISOString() };
  },
  'POST /_sim/reset': (simulation, _query, body) => {
    simulation.reset({ knobs: field(body, 'knobs', 'boolean') ?? false });
    return {};
  },
  'GET /_sim/ledger': (simulation, query) => readLedger(simulation.world, simulation.clock.now(), account(query.get('account'))),
  'GET /_sim/audit': (simulation, query) => simulation.audit.since(entryNumber(query.get('since'))),
  'GET /_sim/catalogue': () => ({ regions: catalogueOfRegions(), instance_types: [...instanceTypes.values()] }),
};

/** Answers a control route. What was wrong with the call is said in `error`. */
export function control(simulation: Simulation, identity: Health, method: string, url: URL, body: string): ControlReply {
  const route = routes[`${method} ${url.pathname}`];
  if (route === undefined)
    return refused(404, `Unknown control route ${method} ${url.pathname}. Known are: ${Object.keys(routes).join(', ')}.`);
  try {
    return { status: 200, body: route(simulation, url.searchParams, body === '' ? {} : JSON.parse(body), identity) };
  } catch (error) {
    return refused(400, error instanceof Error ? error.message : String(error));
  }
}

function refused(status: number, error: string): ControlReply {
  return { status, body: { error } };
}

function field<Kind extends 'number' | 'boolean'>(
  body: unknown,
  name: string,
  kind: Kind,
): (Kind extends 'number' ? number : boolean) | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new TypeError('/: expected an object');
  const unknown = Object.keys(body).find((key) => key !== name);
  if (unknown !== undefined) throw new TypeError(`/${unknown}: unknown; known is ${name}`);
  const value = (body as Record<string, unknown>)[name];
  if (value !== undefined && typeof value !== kind) throw new TypeError(`/${name}: expected a ${kind}`);
  return value as (Kind extends 'number' ? number : boolean) | undefined;
}

function entryNumber(text: string | null): number {
  if (text === null) return 0;
  if (!/^\d{1,15}$/.test(text)) throw new TypeError('since: expected the number of an entry');
  return Number(text);
}

// An account may be named by its number or by the access key that it follows from.
function account(name: string | null): string | undefined {
  if (name === null || name === '') return undefined;
  return /^\d{12}$/.test(name) ? name : accountOf(name);
}

function catalogueOfRegions(): unknown {
  const entries = [...regions].map(([name, region]) => [
    name,
    {
      zones: region.zones.map((zone) => zone.zone),
      subnets: region.subnets,
      security_groups: region.security_groups,
      images: region.images,
    },
  ]);
  return Object.fromEntries(entries);
}
