import { Type, type Static } from 'typebox';
import { defaultPlugins } from './defaults.ts';
import { defaultHost, defaultLogLevel, defaultPort, defaultStorage, logLevels } from './setting-defaults.ts';

const closed = { additionalProperties: false } as const;
const text = (description: string, options: object = {}) => Type.String({ minLength: 1, description, ...options });
const whole = (minimum: number, maximum: number, fallback: number, description: string) =>
  Type.Integer({ minimum, maximum, default: fallback, description });
const perMinute = (fallback: number, what: string) => whole(1, 1_000_000_000, fallback, `${what} that one client may make in a minute.`);

/** `plugins`: read first, since everything else is checked with what they bring. */
export const PluginsSection = Type.Array(Type.String({ minLength: 1 }), {
  default: defaultPlugins,
  description: 'Plugins: the name of a built-in one, of a package, or a path.',
});

/** `storage`: its type, and beside it the options of that storage. */
export const StorageSection = Type.Object(
  { type: text('Which storage keeps what the broker knows.', { default: defaultStorage }) },
  { additionalProperties: true, default: {}, description: 'Where requests and machines are kept.' },
);

export const TemplatesSection = Type.Object(
  { directory: text('Where template files are looked for.', { default: '.', path: true }) },
  { ...closed, default: {}, description: 'Template files.' },
);

const Limits = Type.Object(
  {
    max_instances_per_request: whole(1, 10_000, 1000, 'The most machines of one request.'),
    max_concurrent_requests: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      default: null,
      description: 'The most requests with an open attempt at once; others wait. null: no bound.',
    }),
  },
  { ...closed, default: {}, description: 'What this instance may be asked for.' },
);

/** One entry of `providers`. What stands in `config` is checked with the schema of its provider type. */
export const ProviderEntry = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
      description: 'Names this instance: letters, digits, `-`, `_`, `.`.',
    }),
    type: text('Provider type, as a plugin brings it.'),
    enabled: Type.Boolean({
      default: true,
      description: 'Whether it is chosen for requests. Machines that live are followed in any case.',
    }),
    priority: Type.Integer({ default: 1, description: 'A lower number is preferred.' }),
    weight: whole(0, 1_000_000, 10, 'Share among instances of equal priority, and in load balancing. 0: only when it is named.'),
    config: Type.Object({}, { additionalProperties: true, default: {}, description: 'Settings of the provider type.' }),
    template_defaults: Type.Object(
      {},
      {
        additionalProperties: true,
        default: {},
        description: 'Fields that templates get here where they say nothing. Which instance serves is none of them.',
      },
    ),
    sweep: Type.Enum(['off', 'report', 'terminate'], {
      default: 'report',
      description:
        'What becomes of things in the cloud that carry our tags and that no request knows: told, or ended after several sightings.',
    }),
    limits: Limits,
  },
  closed,
);
export type ProviderEntry = Static<typeof ProviderEntry>;

const RateLimit = Type.Object(
  {
    enabled: Type.Boolean({ default: true, description: 'Whether clients are limited at all.' }),
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
    host: text('Address that the server listens on.', { default: defaultHost }),
    port: whole(0, 65_535, defaultPort, 'Port that the server listens on. 0: any free one.'),
    socket_path: Type.Union([Type.String({ minLength: 1 }), Type.Null()], {
      default: null,
      path: true,
      description: 'Unix socket. null: muster.sock in the data directory.',
    }),
    workers: whole(1, 64, 1, 'Processes that serve HTTP. Above 1, one more beside them carries requests out.'),
    log_level: Type.Enum([...logLevels], {
      default: defaultLogLevel,
      description: 'What is logged.',
    }),
    trust_proxy: Type.Boolean({ default: false, description: 'Whether the forwarded client address is believed.' }),
    max_pending: whole(1, 10_000_000, 100_000, 'Pending requests beyond which new ones are refused.'),
    max_wait_ms: whole(
      50,
      600_000,
      2_000,
      'Milliseconds that a call may wait for the storage, or to be read; while one does, new ones that change something are refused.',
    ),
    max_connections: whole(
      1,
      1_000_000,
      10_000,
      'Connections over TCP beyond which new ones are closed at once. At most what the open files of the process leave.',
    ),
    call_timeout_s: whole(1, 3_600, 60, 'Seconds within which a call must have arrived whole.'),
    allowed_hosts: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description:
        'Names beside its own under which a server on a loopback address may be called, by a gateway that passes on its own; on every address also hosts whose pages may call.',
    }),
    rate_limit: RateLimit,
  },
  { ...closed, default: {}, description: 'The server.' },
);
export type ServerSettings = Static<typeof ServerSection>;

/** The whole configuration as a file has it. */
export const ConfigurationFile = Type.Object(
  {
    plugins: PluginsSection,
    scheduler: text('Scheduler strategy: how requests look to callers.', { default: 'default' }),
    storage: StorageSection,
    templates: TemplatesSection,
    providers: Type.Array(ProviderEntry, { default: [], description: 'Provider instances.' }),
    server: ServerSection,
  },
  closed,
);
export type ConfigurationFile = Static<typeof ConfigurationFile>;
