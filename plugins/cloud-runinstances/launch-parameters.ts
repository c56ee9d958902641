import type { Call, LaunchOrder } from '../../core/index.ts';
import {
  contentsOf,
  joinTagSpecifications,
  machineParameters,
  machineSpecOf,
  marketFacts,
  namedTemplate,
  poolsOf,
  tagsOf,
  taggedParts,
  tagSpecifications,
  withImageId,
  type CloudSession,
  type CloudTemplate,
  type Market,
  type Pool,
  type TemplateVersion,
} from '../cloud/index.ts';
import { isOpenPlace, placementFor } from './open-place.ts';

/** Stored before the launch: each attempt to send the order sends exactly this. */
export interface Prepared {
  /** The input of RunInstances. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The launch template that the template names. */
  readonly template?: TemplateVersion;
  /** The pool of an order that names no place. */
  readonly open_pool?: Pool;
}

/** The parameters of RunInstances for an order. */
export async function launchParameters(session: CloudSession, order: LaunchOrder<any>, call: Call): Promise<Prepared> {
  const template = order.template as CloudTemplate;
  const pool = (order.offers?.[0] ?? poolsOf(template)[0]) as Pool;
  const spec = await machineSpecOf(session, template, call);
  const base = template.launch_template_id === undefined ? undefined : await namedTemplate(session, template, call);
  const named: Tree = base ? { ...(await contentsOf(session, base, call)) } : {};
  const machine = machineParameters({
    named,
    fields: {
      ...spec,
      ...(pool.machine_type === undefined ? {} : { InstanceType: pool.machine_type }),
      ...(pool.subnet_id === undefined ? {} : { SubnetId: pool.subnet_id }),
      ...marketOptions(pool.market, template),
    },
    natives: [template.launch_template_spec, template.provider_api_spec],
  });
  const { TagSpecifications: tags, ...rest } = await withImageId(session, machine, call);
  const parts = taggedParts(machine);
  const open = isOpenPlace(pool, rest) ? withType(pool, rest['InstanceType']) : undefined;
  const params = {
    ...(base && isKept(rest, named)
      ? { LaunchTemplate: { LaunchTemplateId: base.id, Version: base.version }, ...changed(rest, named) }
      : rest),
    ...(open ? await placementFor(session, open, rest, call) : {}),
    MinCount: 1,
    MaxCount: order.machine_count,
    ClientToken: order.token,
    TagSpecifications: joinTagSpecifications(
      tags,
      tagSpecifications(parts, tagsOf(order, session.installation)),
    ).filter(({ ResourceType: type }) => type !== 'network-interface' || parts.includes(type)),
  };
  return { params, ...(base ? { template: base } : {}), ...(open ? { open_pool: open } : {}) };
}

type Tree = Readonly<Record<string, unknown>>;

/** The pool with the machine type that the launch requests, which a launch template may name. */
const withType = (pool: Pool, type: unknown): Pool =>
  typeof type === 'string' ? { ...pool, machine_type: type } : pool;

/**
 * Whether the launch has all parameters of the named launch template. A call that names the template cannot remove
 * one: then it sends all parameters itself.
 */
const isKept = (params: Tree, named: Tree): boolean =>
  Object.entries(named).every(
    ([name, value]) => name === 'TagSpecifications' || value === undefined || name in params,
  );

/** The parameters that differ from those of the named launch template: the call takes the others from there. */
const changed = (params: Tree, named: Tree): Tree =>
  Object.fromEntries(
    Object.entries(params).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(named[name])),
  );

/** The options of the market. A Spot request is one-time and ends with its machine: a persistent one starts another. */
function marketOptions(market: Market, { max_price }: CloudTemplate): object {
  const { market_type: MarketType } = marketFacts(market);
  if (MarketType === undefined) return {};
  const price = max_price === undefined ? {} : { MaxPrice: String(max_price) };
  const options = market === 'spot' ? { SpotOptions: { SpotInstanceType: 'one-time', ...price } } : {};
  return { InstanceMarketOptions: { MarketType, ...options } };
}
