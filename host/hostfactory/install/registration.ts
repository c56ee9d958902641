import type { Dialect } from '../client/script-call.ts';

/** An entry of one of the scheduler's registration files. */
export interface Registration {
  /** Below the scheduler's configuration directory. */
  readonly file: string;
  /** The list of the file that the entry belongs to. */
  readonly list: string;
  /** What a new file says beside the list. */
  readonly head: Readonly<Record<string, unknown>>;
  readonly entry: Readonly<Record<string, unknown>> & { readonly name: string };
}

export interface Registered {
  readonly dialect: Dialect;
  /** The scheduler's name of the provider. */
  readonly name: string;
  /** Absolute path of the directory with the scripts. */
  readonly scripts: string;
}

/** What makes a scheduler call the scripts, file by file. */
export function registrations({ dialect, name, scripts }: Registered): readonly Registration[] {
  if (dialect === 'lsf') {
    // LSF knows the type of a provider by its name, and ours speaks as that one does.
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
 * A file's content with our entry in it: in the place of one of the same name, else as the last. Everything else
 * stays. Undefined: it is no such file.
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
