import type { Dialect } from '../client/script-call.ts';

/** An entry in a registration file of the scheduler. */
export interface Registration {
  /** Path below the scheduler's configuration directory. */
  readonly file: string;
  /** The list in the file to which the entry belongs. */
  readonly list: string;
  /** Further content of a new file. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly entry: Readonly<Record<string, unknown>> & { readonly name: string };
}

export interface Registered {
  readonly dialect: Dialect;
  /** The name of the provider in the scheduler. */
  readonly name: string;
  /** Absolute path of the directory with the scripts. */
  readonly scripts: string;
}

/** Returns the registration entries that make a scheduler call the scripts, one per file. */
export function registrations({ dialect, name, scripts }: Registered): readonly Registration[] {
  if (dialect === 'lsf') {
    // LSF accepts only known provider types; muster speaks the protocol of awsProv.
    const entry = { name, type: 'awsProv', confPath: `resource_connector/${name}`, scriptPath: scripts };
    return [{ file: 'hostProviders.json', list: 'providers', head: {}, entry }];
  }
  const places = {
    confPath: `\${HF_CONFDIR}/providers/${name}/`,
    workPath: `\${HF_WORKDIR}/providers/${name}/`,
    logPath: '${HF_LOGDIR}/',
  };
  return [
    {
      file: 'providers/hostProviders.json',
      list: 'providers',
      head: { version: 2 },
      entry: { name, enabled: 1, plugin: name, ...places },
    },
    {
      file: 'providerplugins/hostProviderPlugins.json',
      list: 'providerplugins',
      head: { version: 2 },
      entry: { name, enabled: 1, scriptPath: `${scripts}/` },
    },
  ];
}

/**
 * Returns the content of a registration file with the entry: replaces an entry of the same name, else appends it. All
 * other content stays. Undefined when the content is not a registration file.
 */
export function withEntry(
  content: unknown,
  { list, head, entry }: Registration,
): Readonly<Record<string, unknown>> | undefined {
  if (content === undefined) return { ...head, [list]: [entry] };
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return undefined;
  const given = (content as Readonly<Record<string, unknown>>)[list] ?? [];
  if (!Array.isArray(given)) return undefined;
  const place = given.findIndex((each: unknown) => (each as { readonly name?: unknown } | null)?.name === entry.name);
  return { ...content, [list]: place < 0 ? [...given, entry] : given.with(place, { ...given[place], ...entry }) };
}
