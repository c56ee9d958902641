import { basename } from 'node:path';
import type { Finding } from '../../core/contract/findings.ts';
import { nearest } from '../../core/schema/spelling.ts';
import type { ConfigurationSource } from './configuration-file.ts';
import type { Environment } from './environment.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { logLevels } from '../setting-defaults.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Converts a value of HostFactory's AWS provider to a value of ours; undefined when the value sets nothing. */
type Convert = (value: unknown) => unknown;

const text: Convert = (value) => (value === '' || value === null ? undefined : value);
const whole: Convert = (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : text(value));
const flag: Convert = (value) => {
  const word = String(value).toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : text(value);
};
const seconds: Convert = (value) => {
  const ms = whole(value);
  return typeof ms === 'number' ? Math.min(60, Math.max(1, Math.ceil(ms / 1000))) : ms;
};

/** The keys that become fields in the `config` of the one provider instance. */
const fields: Readonly<Record<string, readonly [ours: string, convert: Convert]>> = {
  AWS_REGION: ['region', text],
  AWS_CREDENTIAL_FILE: ['credential_file', text],
  AWS_CREDENTIAL_SCRIPT: ['credential_script', text],
  AWS_KEY_FILE: ['key_file', text],
  AWS_ENDPOINT_URL: ['endpoint_url', text],
  AWS_PROXY_HOST: ['proxy_host', text],
  AWS_PROXY_PORT: ['proxy_port', (value) => whole(value) || undefined],
  AWS_CONNECTION_TIMEOUT_MS: ['cloud_connect_timeout', seconds],
  AWS_DESCRIBE_REQUEST_RETRY_ATTEMPTS: ['cloud_max_retries', whole],
  AWS_SPOT_TERMINATE_ON_RECLAIM: ['terminate_on_reclaim', flag],
  AWS_TAG_InstanceID: ['tag_instance_id', flag],
};

/** The keys that become fields in the `template_defaults` of the one provider instance. */
const defaults: Readonly<Record<string, readonly [ours: string, convert: Convert]>> = {
  AWS_INSTANCE_PENDING_TIMEOUT_SEC: ['ready_timeout', (value) => bounded(whole(value), 60, 36_000)],
};

const bounded = (value: unknown, least: number, most: number): unknown =>
  typeof value === 'number' ? Math.min(most, Math.max(least, value)) : value;

/** Keys without effect, and the reason. */
const withoutEffect: Readonly<Record<string, string>> = {
  AWS_CREDENTIAL_RENEW_MARGIN: 'muster renews credentials five minutes before they expire',
  AWS_REQUEST_RETRY_ATTEMPTS: 'muster repeats a changing call under one token until its outcome is known',
  AWS_DESCRIBE_REQUEST_INTERVAL: 'muster derives the interval from the open requests',
  INSTANCE_CREATION_TIMEOUT: 'muster does not terminate machines because the scheduler does not name them',
};
const ownKeys = ['LogLevel', 'ACCEPT_PROPAGATED_LOG_SETTING'];

/** The name of the provider instance. Fixed, because requests and machines are stored under it. */
const instance = 'aws';

/**
 * Whether this is the configuration file of HostFactory's AWS provider: it has that file name, or the key AWS_REGION.
 */
export const isAwsprov = ({ file, value }: ConfigurationSource): boolean =>
  basename(file) === 'awsprov_config.json' || (isObject(value) && Object.hasOwn(value, 'AWS_REGION'));

/**
 * Converts the configuration of HostFactory's AWS provider to a muster configuration: one provider instance of type
 * `cloud`, scheduler `hostfactory`, templates beside the file, any free port.
 */
export function fromAwsprov(
  source: ConfigurationSource,
  env: Environment,
): ConfigurationSource & { readonly findings: readonly Finding[] } {
  if (!isObject(source.value)) return { ...source, findings: [] };
  const raw: Raw = source.value;
  const config: Record<string, unknown> = {};
  const keys = new Map<string, string>();
  for (const [key, [ours, convert]] of Object.entries(fields)) {
    const value = convert(raw[key]);
    if (value === undefined) continue;
    config[ours] = value;
    keys.set(`/providers/0/config/${ours}`, `/${key}`);
  }
  const template_defaults: Record<string, unknown> = {};
  for (const [key, [ours, convert]] of Object.entries(defaults)) {
    const value = convert(raw[key]);
    if (value === undefined) continue;
    template_defaults[ours] = value;
    keys.set(`/providers/0/template_defaults/${ours}`, `/${key}`);
  }
  const level = levelOf(propagated(raw, env)) ?? levelOf(raw['LogLevel']);
  if (level !== undefined) keys.set('/server/log_level', '/LogLevel');
  return {
    ...source,
    value: {
      scheduler: 'hostfactory',
      templates: { directory: '.' },
      providers: [{ name: instance, type: 'cloud', config, template_defaults }],
      server: { port: 0, ...(level === undefined ? {} : { log_level: level }) },
    },
    place: (pointer) => source.place(keys.get(pointer) ?? pointer),
    findings: [...wrong(raw), ...changedKeys(raw), ...unknown(raw)].map(({ path, ...finding }) => ({
      ...finding,
      path,
      file: source.place(path),
    })),
  };
}

function wrong(raw: Raw): Finding[] {
  if (typeof raw['AWS_REGION'] === 'string' && raw['AWS_REGION'] !== '') return [];
  return [{ level: 'error', path: '/AWS_REGION', message: 'is required: the region that provides the machines' }];
}

/** Warnings about keys that are accepted and have another effect than in HostFactory, or none. */
function changedKeys(raw: Raw): Finding[] {
  const warn = (key: string, message: string): Finding => ({ level: 'warning', path: `/${key}`, message });
  const none = Object.entries(withoutEffect).flatMap(([key, why]) => {
    const given = raw[key] === '' || raw[key] === null ? undefined : raw[key];
    return given === undefined ? [] : [warn(key, `has no effect: ${why}`)];
  });
  const ms = whole(raw['AWS_CONNECTION_TIMEOUT_MS']);
  const ready = whole(raw['AWS_INSTANCE_PENDING_TIMEOUT_SEC']);
  const outside = (value: unknown, least: number, most: number) =>
    typeof value === 'number' && (value < least || value > most);
  const level = raw['LogLevel'];
  return [
    ...none,
    ...(text(raw['AWS_PROXY_HOST']) !== undefined && !whole(raw['AWS_PROXY_PORT'])
      ? [warn('AWS_PROXY_HOST', 'has no effect without AWS_PROXY_PORT')]
      : []),
    ...(outside(ms, 1_000, 60_000)
      ? [warn('AWS_CONNECTION_TIMEOUT_MS', `becomes ${String(seconds(ms))} s: the range is 1 to 60 s`)]
      : []),
    ...(outside(ready, 60, 36_000)
      ? [
          warn(
            'AWS_INSTANCE_PENDING_TIMEOUT_SEC',
            `becomes ${String(bounded(ready, 60, 36_000))} s: the range is 60 to 36000 s`,
          ),
        ]
      : []),
    ...(text(level) !== undefined && levelOf(level) === undefined
      ? [warn('LogLevel', 'is not a known level; the level stays info')]
      : []),
  ];
}

function unknown(raw: Raw): Finding[] {
  const known = [...Object.keys(fields), ...Object.keys(defaults), ...Object.keys(withoutEffect), ...ownKeys];
  return Object.keys(raw).flatMap((key): Finding[] =>
    known.includes(key)
      ? []
      : [
          {
            level: 'warning',
            path: `/${key}`,
            message: `is not a known key and has no effect${suggestion(key, known)}`,
          },
        ],
  );
}

function suggestion(key: string, known: readonly string[]): string {
  const lower = known.map((each) => each.toLowerCase());
  const near = nearest(key.toLowerCase(), lower);
  return near === undefined ? '' : `; did you mean '${known[lower.indexOf(near)]}'?`;
}

/** The log level of HostFactory, when the file accepts it. */
const propagated = (raw: Raw, env: Environment): string | undefined =>
  String(raw['ACCEPT_PROPAGATED_LOG_SETTING']).toLowerCase() === 'true' ? env['HF_LOGLEVEL'] : undefined;

/**
 * Maps a log level of HostFactory (`WARN`, `LOG_WARNING`) to a level of muster; undefined for an unknown level, which
 * leaves the default.
 */
function levelOf(given: unknown): string | undefined {
  const word = typeof given === 'string' ? given.toLowerCase().replace(/^log_/, '') : '';
  const found = logLevels.find((level) => word.startsWith(level));
  return found ?? (/^(crit|alert|emerg)/.test(word) ? 'fatal' : undefined);
}
