import { loadConfiguration, type LoadedConfiguration } from '../../config/load.ts';
import type { LoadOptions } from '../../config/load-options.ts';
import { loadPlugins } from '../../config/plugins/load-plugins.ts';
import { readTemplateFiles } from '../../config/templates/template-files.ts';
import { systemClock } from '../../core/contract/clock.ts';
import { BrokerError, isBrokerError } from '../../core/contract/errors.ts';
import type { Finding } from '../../core/contract/findings.ts';
import { silentLog } from '../../core/contract/log.ts';
import type { CheckedTemplate } from '../../core/contract/provider/provider-check.ts';
import { variantFor } from '../../core/model/template.ts';
import { SessionPool } from '../../core/providers/guard/session-pool.ts';
import { compose, type Broker } from '../compose.ts';
import { hiding, secretsOf } from '../process/secrets.ts';
import { configurationCheck } from './host-checks/configuration.ts';
import { dataDirectoryCheck } from './host-checks/data-directory.ts';
import { nodeCheck } from './host-checks/node-version.ts';
import { portCheck } from './host-checks/port.ts';
import { storageCheck } from './host-checks/storage.ts';
import { templatesCheck } from './host-checks/templates.ts';
import { instanceChecks } from './instance-checks.ts';
import { diagnoses, reportOf, type Diagnosis, type HostCheck, type Report } from './report.ts';
import { salvage } from './salvage.ts';
import { serviceChecks } from './service-checks.ts';

const aliveMs = 60_000;

export interface DoctorOptions extends LoadOptions {
  /** Checks this provider instance alone, besides the host. */
  readonly instance?: string;
}

/**
 * Checks everything that could stop a request: this host, the configuration, the storage, the templates, the services,
 * and each enabled provider instance. Changes nothing, also at the provider, and runs beside a server. Instances are
 * checked at the same time, and each in bounded time. Throws PROVIDER_NOT_FOUND for an unknown instance.
 */
export async function doctor(options: DoctorOptions): Promise<Report> {
  const { loaded, findings, left_out, whole } = await load(options);
  const { configuration, plugins, file } = loaded;
  const { data_directory, server, storage } = configuration;
  const { type, ...storageOptions } = storage;
  const driver = plugins.flatMap((plugin) => plugin.storages ?? []).find((each) => each.type === type);
  const found: Diagnosis[] = [
    ...(await lines(nodeCheck, { version: process.version })),
    ...(await lines(configurationCheck, { file, findings })),
    ...(await lines(dataDirectoryCheck, { data_directory })),
    ...(await lines(portCheck, { host: server.host, port: server.port, data_directory })),
    ...(whole ? await lines(storageCheck, { driver, options: storageOptions }) : []),
  ];
  const broker = await emptyBroker(loaded);
  // A check that never ends has a time-out, which alone would not keep the process alive.
  const alive = setInterval(() => undefined, aliveMs);
  try {
    const instances = instancesOf(loaded, options.instance, left_out);
    found.push(...(await templateLines(loaded, broker)));
    const offered = plugins.flatMap((plugin) => plugin.services ?? []);
    found.push(...(await serviceChecks(offered, configuration.services)));
    found.push(...(await allInstances(loaded, broker, instances)));
    const unchecked = left_out.map((name) => ({
      level: 'warning' as const,
      message: `Provider instance '${name}' is not checked, because of the errors of the configuration.`,
    }));
    found.push(...diagnoses(configurationCheck, null, unchecked));
  } finally {
    clearInterval(alive);
    await broker.close();
  }
  // A message of a provider or of a plugin may quote what it was configured with.
  const hide = hiding(secretsOf(loaded));
  return reportOf(
    found.map((line) => ({
      ...line,
      message: hide(line.message),
      remedy: line.remedy === null ? null : hide(line.remedy),
    })),
  );
}

const lines = async <Facts>(check: HostCheck<Facts>, facts: Facts): Promise<readonly Diagnosis[]> =>
  diagnoses(check, null, await check.run(facts));

interface Loaded {
  readonly loaded: LoadedConfiguration;
  readonly findings: readonly Finding[];
  readonly left_out: readonly string[];
  /** Whether the configuration has no errors. */
  readonly whole: boolean;
}

async function load(options: DoctorOptions): Promise<Loaded> {
  try {
    const loaded = await loadConfiguration({ ...options, files: 'required' });
    return { loaded, findings: loaded.findings, left_out: [], whole: true };
  } catch (error) {
    if (!isBrokerError(error)) throw error;
    const given = error.details?.['findings'] as readonly Finding[] | undefined;
    const findings: readonly Finding[] = given ?? [{ level: 'error', path: '', message: error.message }];
    return { ...(await salvage(options)), findings, whole: false };
  }
}

/** A broker that stores nothing and runs no loop: it reads the templates, and knows which instance serves which. */
async function emptyBroker(loaded: LoadedConfiguration): Promise<Broker> {
  const [memory] = await loadPlugins(['storage-memory'], { cwd: '.' });
  const store = await memory?.storages?.[0]?.open({}, { clock: systemClock, log: silentLog });
  if (!store) throw new BrokerError('INTERNAL', 'The storage in memory is missing.');
  const scheduler = loaded.plugins.flatMap((plugin) => plugin.schedulers ?? [])[0]?.name ?? 'default';
  const configuration = { ...loaded.configuration, scheduler };
  return compose({ loaded: { ...loaded, configuration }, log: silentLog, loop: 'none', store });
}

/** The names of the instances to check. */
function instancesOf(
  { configuration }: LoadedConfiguration,
  wanted: string | undefined,
  left_out: readonly string[],
): readonly string[] {
  const enabled = configuration.providers.filter((each) => each.enabled || each.name === wanted);
  if (wanted === undefined) return enabled.map(({ name }) => name);
  if (enabled.some(({ name }) => name === wanted)) return [wanted];
  if (left_out.includes(wanted)) return [];
  const all = configuration.providers.map(({ name }) => name).join(', ') || 'none';
  throw new BrokerError('PROVIDER_NOT_FOUND', `There is no provider instance '${wanted}'. There are: ${all}.`);
}

async function templateLines(loaded: LoadedConfiguration, { services }: Broker): Promise<readonly Diagnosis[]> {
  const { configuration, plugins, review } = loaded;
  const { directory } = configuration.templates;
  const { findings } = await readTemplateFiles({
    directory,
    types: plugins.flatMap((plugin) => plugin.providers ?? []),
    instances: configuration.providers.map(({ name }) => name),
    strategies: plugins.flatMap((plugin) => plugin.schedulers ?? []),
    review,
  });
  const placed = services.templateLibrary.allPlaced();
  const unserved = placed.filter((each) =>
    configuration.providers.every((instance) => !services.providers.mayServeAt(each, instance)),
  );
  const idOf = ({ template }: (typeof placed)[number]) => template.template_id;
  return lines(templatesCheck, {
    directory,
    findings,
    template_ids: placed.map(idOf),
    unserved: unserved.map(idOf),
  });
}

async function allInstances(
  { configuration, plugins }: LoadedConfiguration,
  broker: Broker,
  names: readonly string[],
): Promise<readonly Diagnosis[]> {
  const stop = new AbortController();
  const pool = new SessionPool(
    {
      instances: configuration.providers,
      types: plugins.flatMap((plugin) => plugin.providers ?? []),
      apis: plugins.flatMap((plugin) => plugin.providerApis ?? []),
      schemes: plugins.flatMap((plugin) => plugin.endpoints ?? []),
      data_directory: configuration.data_directory,
      // Only tags hold it, and dry runs create none.
      installation: 'doctor',
      clock: systemClock,
      log: silentLog,
    },
    stop.signal,
  );
  try {
    const each = names.map((name) => instanceChecks(pool, name, templatesFor(name, broker), stop.signal));
    return (await Promise.all(each)).flat();
  } finally {
    stop.abort();
    await pool.close();
  }
}

/** The templates that an instance may serve, as the instance sees them. */
function templatesFor(name: string, { services }: Broker): readonly CheckedTemplate[] {
  const { providers, templateLibrary } = services;
  const instance = providers.require(name);
  return templateLibrary.allPlaced().flatMap((placed) => {
    const variant = variantFor(placed, name);
    const api = providers.apiOf(variant, name);
    if (!api || !providers.mayServeAt(placed, { ...instance, enabled: true })) return [];
    return [{ template: providers.templateFor(variant, instance), api }];
  });
}
