import { basename } from 'node:path';
import type { Finding } from '../../core/contract/findings.ts';
import { nearest } from '../../core/schema/spelling.ts';
import type { ConfigurationSource } from './configuration-file.ts';
import type { Environment } from './environment.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { logLevels } from '../setting-defaults.ts';

type Raw = Readonly<Record<string, unknown>>;

/** What a key of theirs becomes in the `config` of the one provider instance; a value that says nothing becomes nothing. */
type Convert = (value: unknown) => unknown;

const text: Convert = (value) => (value === '' || value === null ? undefined : value);
const whole: Convert = (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : text(value));
const seconds: Convert = (value) => {
  const ms = whole(value);
  return typeof ms === 'number' ? Math.min(60, Math.max(1, Math.ceil(ms / 1000))) : ms;
};

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
};

/** What a key of theirs becomes in the `template_defaults` of the one provider instance. */
const defaults: Readonly<Record<string, readonly [ours: string, convert: Convert]>> = {
  AWS_INSTANCE_PENDING_TIMEOUT_SEC: ['ready_timeout', (value) => bounded(whole(value), 60, 36_000)],
};

const bounded = (value: unknown, least: number, most: number): unknown =>
  typeof value === 'number' ? Math.min(most, Math.max(least, value)) : value;

/** What is done here in another way, whatever the key says, and in which. */
const withoutEffect: Readonly<Record<string, string>> = {
  AWS_CREDENTIAL_RENEW_MARGIN: 'credentials are asked anew five minutes before they expire',
  AWS_REQUEST_RETRY_ATTEMPTS: 'what changes the cloud is repeated under one token until its outcome is known',
  AWS_DESCRIBE_REQUEST_INTERVAL: 'how often the cloud is asked follows from what is under way',
  AWS_SPOT_TERMINATE_ON_RECLAIM: 'a machine that is returned is ended, announced by the cloud or not',
  AWS_TAG_InstanceID: 'machines are tagged with their request, not with their own id',
  INSTANCE_CREATION_TIMEOUT: 'nothing is ended because the scheduler does not name it',
};
const ownKeys = ['LogLevel', 'ACCEPT_PROPAGATED_LOG_SETTING'];

/** Fixed, because requests and machines are stored under it. */
const instance = 'aws';

/** Whether this is the configuration of HostFactory's AWS provider: by its name, or because it says a region as only that does. */
export const isAwsprov = ({ file, value }: ConfigurationSource): boolean =>
  basename(file) === 'awsprov_config.json' || (isObject(value) && Object.hasOwn(value, 'AWS_REGION'));

/** The configuration of HostFactory's AWS provider as one of ours: one instance of type `cloud`, the words of HostFactory, templates beside it, any free port. */
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
    findings: [...wrong(raw), ...otherwise(raw), ...unknown(raw)].map(({ path, ...finding }) => ({
      ...finding,
      path,
      file: source.place(path),
    })),
  };
}

function wrong(raw: Raw): Finding[] {
  if (typeof raw['AWS_REGION'] === 'string' && raw['AWS_REGION'] !== '') return [];
  return [{ level: 'error', path: '/AWS_REGION', message: 'is required: the region whose machines are wanted' }];
}

/** What is taken, and does not do what it does elsewhere. */
function otherwise(raw: Raw): Finding[] {
  const warn = (key: string, message: string): Finding => ({ level: 'warning', path: `/${key}`, message });
  const none = Object.entries(withoutEffect).flatMap(([key, why]) => {
    const given = raw[key] === '' || raw[key] === null ? undefined : raw[key];
    const asked = given !== undefined && !(key === 'AWS_TAG_InstanceID' && isOff(given));
    return asked ? [warn(key, `has no effect here: ${why}`)] : [];
  });
  const ms = whole(raw['AWS_CONNECTION_TIMEOUT_MS']);
  const ready = whole(raw['AWS_INSTANCE_PENDING_TIMEOUT_SEC']);
  const outside = (value: unknown, least: number, most: number) => typeof value === 'number' && (value < least || value > most);
  const level = raw['LogLevel'];
  return [
    ...none,
    ...(text(raw['AWS_PROXY_HOST']) !== undefined && !whole(raw['AWS_PROXY_PORT'])
      ? [warn('AWS_PROXY_HOST', 'cannot be reached without AWS_PROXY_PORT')]
      : []),
    ...(outside(ms, 1_000, 60_000)
      ? [warn('AWS_CONNECTION_TIMEOUT_MS', `is taken as ${String(seconds(ms))} s: 1 to 60 s can be had`)]
      : []),
    ...(outside(ready, 60, 36_000)
      ? [warn('AWS_INSTANCE_PENDING_TIMEOUT_SEC', `is taken as ${String(bounded(ready, 60, 36_000))} s: 60 to 36000 s can be had`)]
      : []),
    ...(text(level) !== undefined && levelOf(level) === undefined ? [warn('LogLevel', 'is no level that is known; it stays at info')] : []),
  ];
}

const isOff = (value: unknown): boolean => /^(false|0|no)$/i.test(String(value));

function unknown(raw: Raw): Finding[] {
  const known = [...Object.keys(fields), ...Object.keys(defaults), ...Object.keys(withoutEffect), ...ownKeys];
  return Object.keys(raw).flatMap((key): Finding[] =>
    known.includes(key) ? [] : [{ level: 'warning', path: `/${key}`, message: `is no known key and has no effect${meant(key, known)}` }],
  );
}

function meant(key: string, known: readonly string[]): string {
  const lower = known.map((each) => each.toLowerCase());
  const near = nearest(key.toLowerCase(), lower);
  return near === undefined ? '' : `; did you mean '${known[lower.indexOf(near)]}'?`;
}

/** HostFactory hands its own log level down, where this side says that it takes it. */
const propagated = (raw: Raw, env: Environment): string | undefined =>
  String(raw['ACCEPT_PROPAGATED_LOG_SETTING']).toLowerCase() === 'true' ? env['HF_LOGLEVEL'] : undefined;

/** `WARN`, `LOG_WARNING`: their words for our levels; what is none of them is left to the default. */
function levelOf(given: unknown): string | undefined {
  const word = typeof given === 'string' ? given.toLowerCase().replace(/^log_/, '') : '';
  const found = logLevels.find((level) => word.startsWith(level));
  return found ?? (/^(crit|alert|emerg)/.test(word) ? 'fatal' : undefined);
}
