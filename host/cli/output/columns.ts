import { actorText, detailText, machineText } from './event-line.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column: a field of the rows, or a value computed from a row. */
export type Column = string | { readonly title: string; of(row: Row): unknown };

const apiType: Column = {
  title: 'machine_type',
  of: ({ machine_type, machine_types }) =>
    machine_type ?? Object.keys((machine_types as object | undefined) ?? {}).join(', '),
};
const kinds = [
  ['provider_types', 'provider type'],
  ['provider_apis', 'API'],
  ['schedulers', 'scheduler'],
  ['storages', 'storage'],
  ['event_sinks', 'event sink'],
  ['event_sink_types', 'event sink type'],
  ['endpoints', 'endpoint'],
] as const;
const contributions: Column = {
  title: 'contributes',
  of: (row) =>
    kinds.flatMap(([list, kind]) => ((row[list] ?? []) as readonly string[]).map((name) => `${kind} ${name}`)),
};
const loadedFrom: Column = { title: 'from', of: ({ source, file }) => (source === 'built-in' ? source : file) };
const delivered: Column = { title: 'delivered', of: ({ fulfilment }) => (fulfilment as Row | null)?.['delivered'] };

const usdPerHour: Column = { title: 'usd_per_hour', of: ({ cost }) => (cost as Row | null)?.['usd_per_hour'] };

/** The most instances that one cell names. */
const mostServed = 4;
const serves: Column = {
  title: 'serves',
  of: ({ serves: all }) => {
    const names = ((all ?? []) as readonly Row[]).map(({ name }) => String(name));
    const more = names.length - mostServed;
    return more > 1 ? `${names.slice(0, mostServed).join(', ')} and ${more} more` : names;
  },
};
/** Each warning is a sentence. */
const warnings: Column = {
  title: 'warnings',
  of: ({ warnings: all }) => ((all ?? []) as readonly string[]).join(' '),
};

/** The fields that distinguish machines of one request. */
const kindOfMachine = ['machine_type', 'market', 'zone'] as const;

/**
 * The columns of each list, by the name of the operation or of the field. The most important come first, since a
 * narrow terminal omits the last ones. Other lists show every field with a plain value.
 */
export const columnsOf: Readonly<Record<string, readonly Column[]>> = {
  list_templates: ['template_id', 'name', 'provider_api', apiType, 'max_instances', 'description'],
  list_active_requests: ['request_id', 'status', 'template_id', 'requested_count', delivered, 'message', 'created_at'],
  get_requests: ['request_id', 'status', 'template_id', 'requested_count', delivered, 'message', 'created_at'],
  sync_and_list_return_requests: ['request_id', 'status', 'template_id', 'requested_count', 'message', 'created_at'],
  list_machines: [
    'machine_id',
    'status',
    'name',
    'private_ip',
    ...kindOfMachine,
    'provider_instance',
    'template_id',
    'created_at',
    'request_id',
    usdPerHour,
    'expires_at',
    'held_until',
  ],
  get_usage: [
    {
      title: 'group',
      of: ({ group }) =>
        Object.values((group ?? {}) as Row)
          .map((value) => value ?? '–')
          .join(' · '),
    },
    'machine_seconds',
    'vcpu_seconds',
    'usd',
    'unpriced_machine_seconds',
  ],
  list_providers: ['name', 'type', 'status', 'priority', 'weight', 'capabilities', 'message'],
  list_capacity: [
    'provider_instance',
    'machine_type',
    'zone',
    'market',
    'state',
    'short_since',
    'tried_again_at',
    'code',
    'offer',
    'provider_api',
    'template_ids',
  ],
  list_events: [
    'at',
    'type',
    'request_id',
    { title: 'machine', of: (row) => machineText(row as never) },
    'provider_instance',
    { title: 'details', of: (row) => detailText(row as never) },
    { title: 'by', of: (row) => actorText(row as never).replace(/^by /, '') },
    'seq',
  ],
  list_budgets: [
    'name',
    {
      title: 'match',
      of: ({ match }) =>
        Object.entries(match as Row)
          .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
          .join(', '),
    },
    {
      title: 'used',
      of: ({ limits }) =>
        (limits as readonly Row[])
          .map(({ limit, used, max }) => `${String(limit)} ${String(used)} of ${String(max)}`)
          .join(', '),
    },
  ],
  list_brokers: ['broker_id', 'status', 'host', 'pid', serves, 'holds', 'version', 'address', 'lease_until', warnings],
  list_plugins: ['name', 'status', 'version', 'contract', contributions, 'requires', loadedFrom],
  requests: ['request_id', 'status', 'template_id', 'requested_count', 'message'],
  shortfall: ['code', 'offer', 'count', 'message'],
  machines: [
    'machine_id',
    'status',
    'name',
    'private_ip',
    'public_ip',
    ...kindOfMachine,
    'provider_instance',
    'reclaim_at',
    'message',
  ],
};
