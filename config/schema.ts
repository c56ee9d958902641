import { Type, type Static } from 'typebox';
import { mostUsageTags } from '../core/model/usage/usage-tags.ts';
import { marketSpellings, marketWords, type MarketWord } from '../core/model/market.ts';
import {
  defaultHost,
  defaultLogLevel,
  defaultPlugins,
  defaultPort,
  defaultStorage,
  logLevels,
} from './setting-defaults.ts';

const closed = { additionalProperties: false } as const;
const text = (description: string, options: object = {}) => Type.String({ minLength: 1, description, ...options });
const whole = (minimum: number, maximum: number, fallback: number, description: string) =>
  Type.Integer({ minimum, maximum, default: fallback, description });
const perMinute = (fallback: number, what: string) =>
  whole(1, 1_000_000_000, fallback, `${what} that one client may send per minute.`);

/** `plugins`. Read first: the checks of all other sections depend on what the plugins contribute. */
export const PluginsSection = Type.Array(Type.String({ minLength: 1 }), {
  default: defaultPlugins,
  description: 'Plugins: each is the name of a built-in plugin, the name of a package, or a path.',
});

/** `storage`: its type, and the options of that storage beside the type. */
export const StorageSection = Type.Object(
  { type: text('The storage that keeps the state of the broker.', { default: defaultStorage }) },
  { additionalProperties: true, default: {}, description: 'Where the broker stores requests and machines.' },
);

export const TemplatesSection = Type.Object(
  { directory: text('Directory of the template files.', { default: '.', path: true }) },
  { ...closed, default: {}, description: 'Template files.' },
);

const Limits = Type.Object(
  {
    max_instances_per_request: whole(1, 10_000, 1000, 'The maximum number of machines of one request.'),
    max_concurrent_requests: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      default: null,
      description:
        'The maximum number of requests with an open attempt at the same time; further requests wait. null: no limit.',
    }),
  },
  { ...closed, default: {}, description: 'Limits of this instance.' },
);

/** One entry of `providers`. The schema of its provider type checks `config`. */
export const ProviderEntry = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
      description: 'Names this instance: letters, digits, `-`, `_`, `.`.',
    }),
    type: text('Provider type that a plugin contributes.'),
    enabled: Type.Boolean({
      default: true,
      description: 'Whether new requests may use this instance. The broker tracks existing machines in any case.',
    }),
    priority: Type.Integer({ default: 1, description: 'Instances with a lower number are preferred.' }),
    weight: whole(
      0,
      1_000_000,
      10,
      'Share among instances of equal priority, and in load balancing. 0: used only when a request or a template names the instance.',
    ),
    config: Type.Object(
      {},
      { additionalProperties: true, default: {}, description: 'Settings of the provider type.' },
    ),
    template_defaults: Type.Object(
      {},
      {
        additionalProperties: true,
        default: {},
        description:
          'Values of template fields on this instance when the template does not set them. They cannot choose the instance.',
      },
    ),
    sweep: Type.Enum(['off', 'report', 'terminate'], {
      default: 'report',
      description:
        'What the broker does with cloud resources that carry its tags and belong to no request: nothing (off), report them, or terminate them after several consecutive discoveries.',
    }),
    limits: Limits,
  },
  closed,
);
export type ProviderEntry = Static<typeof ProviderEntry>;

const RateLimit = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Whether the rate of each client is limited.' }),
    provider: perMinute(100, 'Provider operations'),
    template: perMinute(200, 'Template operations'),
    request: perMinute(50, 'Requests for machines and returns'),
    validation: perMinute(500, 'Validations'),
    read: perMinute(6000, 'Reads of requests and machines'),
  },
  { ...closed, default: {}, description: 'Rate limits.' },
);

export const ServerSection = Type.Object(
  {
    host: text('Address on which the server listens.', { default: defaultHost }),
    port: whole(0, 65_535, defaultPort, 'Port on which the server listens. 0: any free port.'),
    socket_path: Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
      default: null,
      path: true,
      description: 'Unix socket. null: muster.sock in the data directory.',
    }),
    workers: whole(1, 64, 1, 'Number of processes that serve HTTP. Above 1, one more process runs the reconciler.'),
    log_level: Type.Enum([...logLevels], {
      default: defaultLogLevel,
      description: 'The lowest level that is logged.',
    }),
    trust_proxy: Type.Boolean({
      default: false,
      description: 'Whether the server trusts the client address in the forwarded headers.',
    }),
    max_pending: whole(
      1,
      10_000_000,
      100_000,
      'Number of pending requests beyond which the server refuses new requests.',
    ),
    max_wait_ms: whole(
      50,
      600_000,
      2_000,
      'Milliseconds that a call may wait for the storage or for its input to be read. While a call waits longer, the server refuses new calls that change state.',
    ),
    max_connections: whole(
      1,
      1_000_000,
      10_000,
      'Number of TCP connections beyond which the server closes new connections at once. The limit of open files of the process bounds it too.',
    ),
    max_streams: whole(
      1,
      100_000,
      1_000,
      'Number of open event streams and streams of requests beyond which the server refuses new ones.',
    ),
    actor_header: Type.Union([Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }), Type.Null()], {
      default: null,
      description:
        'The header in which a gateway names the caller, for the journal. The gateway must remove this header from the calls of its clients. null: no header is believed.',
    }),
    drain_s: whole(
      0,
      15,
      0,
      'Seconds for which a server that stops still answers, while /readyz refuses: as long as a proxy in front needs to notice.',
    ),
    call_timeout_s: whole(1, 3_600, 60, 'Seconds within which a call must arrive completely.'),
    allowed_hosts: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Host names that callers may use beside the names of the server itself. A server on a loopback address accepts them in the Host header, for a gateway that forwards its own name; on every address, web pages of these hosts may call the server.',
    }),
    page: Type.Enum(['on', 'read_only', 'off'], {
      default: 'on',
      description:
        'Whether the server serves the page for operators at /ui/. read_only: the page shows no controls; what callers may do over REST is not affected.',
    }),
    rate_limit: RateLimit,
  },
  { ...closed, default: {}, description: 'Settings of the server.' },
);
export type ServerSettings = Static<typeof ServerSection>;

/** One entry of `events.sinks`: its type, its name, and the options of that type. */
export const SinkEntry = Type.Object(
  {
    type: text('Event sink type that a plugin contributes.'),
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
      description: 'Names this sink: letters, digits, `-`, `_`, `.`. The position in the journal is stored under it.',
    }),
  },
  { additionalProperties: true },
);

const budgetLimit = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000_000, description }));
const budgetCount = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000, description }));

/** One entry of `budgets`. */
export const BudgetEntry = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
      description: 'Names this budget: letters, digits, `-`, `_`, `.`.',
    }),
    match: Type.Object(
      {
        template_id: Type.Optional(
          Type.String({ minLength: 1, description: 'Only machines of requests for this template.' }),
        ),
        provider_instance: Type.Optional(
          Type.String({ minLength: 1, description: 'Only machines at this provider instance.' }),
        ),
        price_type: Type.Optional(
          Type.Unsafe<MarketWord>(
            Type.Enum([...marketWords], {
              description: 'Only machines of this market.',
              value_aliases: marketSpellings,
            }),
          ),
        ),
        tags: Type.Optional(
          Type.Record(Type.String({ minLength: 1, maxLength: 128 }), Type.String({ maxLength: 256 }), {
            maxProperties: 20,
            description:
              'Only machines that have each of these tags with this value, by their template, its instance and the request.',
          }),
        ),
      },
      {
        ...closed,
        default: {},
        description: 'The machines that count. All conditions must hold; none: all machines.',
      },
    ),
    max_machines: budgetCount('The most machines at a time.'),
    max_vcpus: budgetCount('The most vCPUs at a time.'),
    max_usd_per_hour: budgetLimit('The most US dollars an hour at a time.'),
    max_usd_per_day: budgetLimit(
      'US dollars for what ran in the last 24 hours and one more hour of everything reserved. Above it new requests are refused; machines that run go on.',
    ),
    unknown_price_usd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100_000,
        description:
          'US dollars an hour of a machine whose price is not known. Absent: limits in dollars refuse such machines.',
      }),
    ),
  },
  closed,
);
export type BudgetEntry = Static<typeof BudgetEntry>;

export const EventsSection = Type.Object(
  {
    sinks: Type.Array(SinkEntry, {
      default: [],
      maxItems: 100,
      description: 'Receivers of the events of the journal: each gets every event at least once, in order.',
    }),
  },
  { ...closed, default: {}, description: 'Where events are delivered.' },
);

export const UsageSection = Type.Object(
  {
    tags: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
      default: [],
      maxItems: mostUsageTags,
      uniqueItems: true,
      description:
        'Names of tags of machines by which get_usage can group: `tag:NAME`. It counts from when it is set.',
    }),
  },
  { ...closed, default: {}, description: 'How the use of machines is summed up.' },
);

/** The whole configuration in the shape of a file. */
export const ConfigurationFile = Type.Object(
  {
    plugins: PluginsSection,
    scheduler: text('Scheduler strategy: the format of requests and answers.', { default: 'default' }),
    storage: StorageSection,
    templates: TemplatesSection,
    providers: Type.Array(ProviderEntry, { default: [], description: 'Provider instances.' }),
    budgets: Type.Array(BudgetEntry, {
      default: [],
      maxItems: 100,
      description: 'Limits on what machines may use together: number, vCPUs, dollars.',
    }),
    usage: UsageSection,
    events: EventsSection,
    server: ServerSection,
  },
  closed,
);
export type ConfigurationFile = Static<typeof ConfigurationFile>;
