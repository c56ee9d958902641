import { instanceTypes, regions } from '../catalogue.ts';
import { scenarios } from '../knobs/scenarios.ts';
import { boolean, record, type Shape } from '../knobs/shapes.ts';
import { readLedger } from '../dispatch/ledger.ts';
import type { Simulation } from '../simulation.ts';
import type { SimulatorIdentity } from './simulator-place.ts';
import { accountOf } from '../wire/caller.ts';

export interface ControlReply {
  readonly status: number;
  readonly body: unknown;
}

interface Route {
  /** Allowed names in the query; others are refused. */
  readonly query?: readonly string[];
  /** Shape of the body; without it, `answer` ignores the body or checks it itself. */
  readonly body?: Shape;
  answer(simulation: Simulation, query: URLSearchParams, body: unknown, identity: SimulatorIdentity): unknown;
}

// The clock checks the upper bound itself.
const step: Shape = (value, path) =>
  typeof value === 'number' && value >= 0 ? [] : [`${path}: expected milliseconds, 0 or more`];

const routes: Readonly<Record<string, Route>> = {
  'GET /_sim/health': { answer: (_simulation, _query, _body, identity) => identity },
  'GET /_sim/knobs': { answer: (simulation) => simulation.knobs.current },
  'POST /_sim/knobs': { answer: (simulation, _query, body) => simulation.knobs.turn(body) },
  'GET /_sim/scenarios': {
    answer: () => Object.fromEntries(Object.entries(scenarios).map(([name, { sentence }]) => [name, sentence])),
  },
  'POST /_sim/clock': {
    body: record({ advance_ms: step }, ['advance_ms']),
    answer({ clock }, _query, body) {
      clock.advance((body as { readonly advance_ms: number }).advance_ms);
      return { now: new Date(clock.now()).toISOString() };
    },
  },
  'POST /_sim/reset': {
    body: record({ knobs: boolean }),
    answer(simulation, _query, body) {
      simulation.reset(body as { readonly knobs?: boolean });
      return {};
    },
  },
  'GET /_sim/ledger': {
    query: ['account'],
    answer: (simulation, query) => readLedger(simulation.world, simulation.clock.now(), account(query.get('account'))),
  },
  'GET /_sim/audit': {
    query: ['since'],
    answer: (simulation, query) => simulation.audit.since(entryNumber(query.get('since'))),
  },
  'GET /_sim/catalogue': {
    answer: () => ({ regions: catalogueOfRegions(), instance_types: [...instanceTypes.values()] }),
  },
};

/** Answers a control route. `error` of a refusal has one line for each finding. */
export function control(
  simulation: Simulation,
  identity: SimulatorIdentity,
  method: string,
  url: URL,
  body: string,
): ControlReply {
  const name = `${method} ${url.pathname}`;
  const route = Object.hasOwn(routes, name) ? routes[name] : undefined;
  if (route === undefined)
    return refused(404, `Unknown control route ${name}. Known routes: ${Object.keys(routes).join(', ')}.`);
  try {
    const value = readJson(body);
    const findings = [...unknownParameters(url.searchParams, route.query ?? []), ...(route.body?.(value, '') ?? [])];
    if (findings.length > 0) return refused(400, findings.join('\n'));
    return { status: 200, body: route.answer(simulation, url.searchParams, value, identity) };
  } catch (error) {
    return refused(400, error instanceof Error ? error.message : String(error));
  }
}

function refused(status: number, error: string): ControlReply {
  return { status, body: { error } };
}

function readJson(body: string): unknown {
  if (body === '') return {};
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new TypeError(`The body is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function unknownParameters(query: URLSearchParams, known: readonly string[]): string[] {
  const list = known.length === 0 ? 'this route takes none' : `known: ${known.join(', ')}`;
  return [...query.keys()].filter((name) => !known.includes(name)).map((name) => `?${name}: unknown; ${list}`);
}

function entryNumber(text: string | null): number {
  if (text === null) return 0;
  if (!/^\d{1,15}$/.test(text)) throw new TypeError('?since: expected the number of an entry');
  return Number(text);
}

// An account is named by its number or by one of its access keys.
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
