import { ProviderFault, type Call } from '../../core/index.ts';
import { sessionField, type CloudSession, type Pool } from '../cloud/index.ts';

/** How long a zone that lacked capacity for a type is not used for it. */
const lackMs = 180_000;

/** Codes that concern one zone. */
const ofZone: ReadonlySet<string> = new Set(['InsufficientInstanceCapacity', 'Unsupported']);

/** By type and market: the zones that lacked capacity, each with the time until which it is not used. */
const lacks = sessionField(() => new Map<string, Map<string, number>>());
const zonesField = sessionField(() => new Map<'zones', readonly string[]>());

type Tree = Readonly<Record<string, unknown>>;

/**
 * Whether neither the pool nor the parameters name a place, such as a zone, a subnet or a placement group: EC2 chooses
 * a zone, and launches there alone.
 */
export function isOpenPlace({ subnet_id }: Pool, { SubnetId, Placement, NetworkInterfaces }: Tree): boolean {
  const interfaces = Array.isArray(NetworkInterfaces) ? (NetworkInterfaces as readonly Tree[]) : [];
  return (
    isAbsent(subnet_id) &&
    isAbsent(SubnetId) &&
    Object.entries((Placement ?? {}) as Tree).every(([name, value]) => !places.has(name) || isAbsent(value)) &&
    interfaces.every((each) => isAbsent(each['SubnetId']) && isAbsent(each['NetworkInterfaceId']))
  );
}

/** The parameters inside Placement that fix the zone. */
const places: ReadonlySet<string> = new Set([
  'AvailabilityZone',
  'AvailabilityZoneId',
  'GroupName',
  'GroupId',
  'HostId',
  'HostResourceGroupArn',
]);

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/**
 * The placement of a launch that names no place. EC2 chooses the zone, unless it lacked capacity in some zone lately:
 * then the launch names the first of the other zones, beside the other parameters of its placement.
 */
export async function placementFor(session: CloudSession, pool: Pool, { Placement }: Tree, call: Call): Promise<Tree> {
  if (lackingZones(session, pool).length === 0) return {};
  const [zone] = await otherZones(session, pool, call);
  return zone === undefined ? {} : { Placement: { ...(Placement as Tree | undefined), AvailabilityZone: zone } };
}

/**
 * The pool that lacked capacity: the type in the zone of the launch, while another zone may have some, and the whole
 * pool otherwise. Remembers the zone.
 */
export async function lackingOffer(
  session: CloudSession,
  pool: Pool,
  zone: string | undefined,
  call: Call,
): Promise<string> {
  if (zone === undefined) return pool.key;
  const key = keyOf(pool);
  const known = lacks(session).get(key) ?? new Map<string, number>();
  lacks(session).set(key, known.set(zone, session.clock.monotonic() + lackMs));
  const others = await otherZones(session, pool, call);
  return others.length === 0 ? pool.key : [pool.machine_type ?? '*', zone, pool.market].join('|');
}

/**
 * The fault of a launch that named no place, with the zone that lacked capacity as its offer. A lack that comes from
 * the terms of the template concerns no zone: an image that does not fit the type fits it nowhere.
 */
export async function zoneFault(
  session: CloudSession,
  pool: Pool,
  params: Tree,
  fault: ProviderFault,
  call: Call,
): Promise<ProviderFault> {
  if (fault.kind !== 'capacity' || fault.lack !== undefined || !ofZone.has(fault.code)) return fault;
  const { AvailabilityZone } = (params['Placement'] ?? {}) as { readonly AvailabilityZone?: string };
  const zone = AvailabilityZone ?? /\b[a-z]{2}(?:-[a-z]+)+-\d[a-z]\b/.exec(fault.message)?.[0];
  const offer = await lackingOffer(session, pool, zone, call);
  return new ProviderFault('capacity', fault.message, { code: fault.code, offer, cause: fault.cause });
}

const keyOf = ({ machine_type, market }: Pool): string => `${machine_type}|${market}`;

function lackingZones(session: CloudSession, pool: Pool): string[] {
  const now = session.clock.monotonic();
  return [...(lacks(session).get(keyOf(pool)) ?? [])].flatMap(([zone, until]) => (until > now ? [zone] : []));
}

/** The zones with a default subnet that did not lack capacity lately. A launch without a subnet needs a default one. */
async function otherZones(session: CloudSession, pool: Pool, call: Call): Promise<readonly string[]> {
  const lacking = lackingZones(session, pool);
  return (await defaultZones(session, call)).filter((zone) => !lacking.includes(zone));
}

async function defaultZones(session: CloudSession, call: Call): Promise<readonly string[]> {
  const known = zonesField(session).get('zones');
  if (known) return known;
  const Filters = [{ Name: 'default-for-az', Values: ['true'] }];
  const { Subnets } = await session.read((ec2) => new ec2.DescribeSubnetsCommand({ Filters }), call);
  const zones = [...new Set((Subnets ?? []).flatMap(({ AvailabilityZone }) => AvailabilityZone ?? []))].toSorted();
  zonesField(session).set('zones', zones);
  return zones;
}
