/** Where a script finds its server, and what a server is started with. */
export interface ScriptPlace {
  readonly data_directory: string;
  /** Absent: none is there, and only a server that runs already can serve. */
  readonly configuration?: string;
  /** Where it was looked for, for people. */
  readonly looked: string;
}

const names = [
  ...['yaml', 'yml', 'json', 'ts', 'mjs', 'js'].map((end) => `muster.config.${end}`),
  'awsprov_config.json',
];

/**
 * The places of a script call, from the environment that its scheduler gives it: Symphony's `HF_…`, LSF's `PRO_…`, and
 * our own over both. Throws when neither a data directory nor a configuration is named or found: a script never runs
 * on samples. /
 */
export function scriptPlace(env: NodeJS.ProcessEnv): ScriptPlace {
  const { resolve, join, dirname } = process.getBuiltinModule('node:path');
  const provider = env['HF_PROVIDER_NAME'] || env['PROVIDER_NAME'] || '';
  const under = (directory: string | undefined, ...more: string[]) => (directory ? [join(directory, ...more)] : []);
  const ofProvider = (directory: string | undefined) => (provider ? under(directory, 'providers', provider) : []);

  const confs = [
    ...under(env['HF_PROVIDER_CONFDIR']),
    ...(env['HF_PROVIDER_CONFDIR'] ? [] : ofProvider(env['HF_CONFDIR'])),
    ...under(env['PRO_CONF_DIR'], 'conf'),
    ...under(env['PRO_CONF_DIR']),
  ];
  // LSF has one directory for all its providers, and a server has one for itself.
  const [data] = [
    ...under(env['MUSTER_DATA_DIR']),
    ...under(env['HF_PROVIDER_WORKDIR']),
    ...ofProvider(env['HF_WORKDIR']),
    ...under(env['PRO_DATA_DIR'], provider || 'muster'),
  ];
  const configuration = env['MUSTER_CONFIG'] ? resolve(env['MUSTER_CONFIG']) : inOneOf(confs);
  const looked = env['MUSTER_CONFIG'] ? 'MUSTER_CONFIG' : confs.join(', ');
  if (data === undefined && configuration === undefined) throw noConfiguration(looked);
  const data_directory = resolve(data ?? join(dirname(configuration ?? ''), 'data'));
  return { data_directory, looked, ...(configuration === undefined ? {} : { configuration }) };
}

/** What a script says that finds no configuration. */
export function noConfiguration(looked: string): Error {
  const where =
    looked === ''
      ? 'Neither MUSTER_CONFIG nor HF_PROVIDER_CONFDIR is set'
      : `None of ${names.join(', ')} is in ${looked}`;
  return new Error(`muster has no configuration: ${where}. Put one there, or name it with MUSTER_CONFIG.`);
}

function inOneOf(directories: readonly string[]): string | undefined {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const { join, resolve } = process.getBuiltinModule('node:path');
  for (const directory of directories) {
    const found = names.map((name) => resolve(join(directory, name))).find((file) => existsSync(file));
    if (found) return found;
  }
  return undefined;
}
