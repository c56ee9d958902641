/** The data directory of a script's server, and the configuration to start it with. */
export interface ScriptPlace {
  readonly data_directory: string;
  /** The configuration file. Absent: none was found, and only a running server can answer. */
  readonly configuration?: string;
  /** The searched directories, for messages. */
  readonly searched: string;
}

const names = [
  ...['yaml', 'yml', 'json', 'ts', 'mjs', 'js'].map((end) => `muster.config.${end}`),
  'awsprov_config.json',
];

/**
 * Returns the places of a script call from the environment of its scheduler: Symphony's `HF_…`, LSF's `PRO_…`, and
 * muster's own variables, which take precedence. Throws when neither a data directory nor a configuration is named or
 * found: a script never runs on samples.
 */
export function scriptPlace(env: NodeJS.ProcessEnv): ScriptPlace {
  const { resolve, join, dirname } = process.getBuiltinModule('node:path');
  const provider = env['HF_PROVIDER_NAME'] || env['PROVIDER_NAME'] || '';
  const under = (directory: string | undefined, ...more: string[]) => (directory ? [join(directory, ...more)] : []);
  const ofProvider = (directory: string | undefined) => (provider ? under(directory, 'providers', provider) : []);

  const configurationDirectories = [
    ...under(env['HF_PROVIDER_CONFDIR']),
    ...(env['HF_PROVIDER_CONFDIR'] ? [] : ofProvider(env['HF_CONFDIR'])),
    ...under(env['PRO_CONF_DIR'], 'conf'),
    ...under(env['PRO_CONF_DIR']),
  ];
  // LSF has one data directory for all its providers; a server needs its own.
  const [data] = [
    ...under(env['MUSTER_DATA_DIR']),
    ...under(env['HF_PROVIDER_WORKDIR']),
    ...ofProvider(env['HF_WORKDIR']),
    ...under(env['PRO_DATA_DIR'], provider || 'muster'),
  ];
  const configuration = env['MUSTER_CONFIG']
    ? resolve(env['MUSTER_CONFIG'])
    : firstConfiguration(configurationDirectories);
  const searched = env['MUSTER_CONFIG'] ? 'MUSTER_CONFIG' : configurationDirectories.join(', ');
  if (data === undefined && configuration === undefined) throw noConfiguration(searched);
  const data_directory = resolve(data ?? join(dirname(configuration ?? ''), 'data'));
  return { data_directory, searched, ...(configuration === undefined ? {} : { configuration }) };
}

/** Returns the error of a script that finds no configuration. */
export function noConfiguration(searched: string): Error {
  if (searched === '')
    return new Error(
      'muster has no configuration: neither MUSTER_CONFIG nor HF_PROVIDER_CONFDIR is set. Set MUSTER_CONFIG to a configuration file, or HF_PROVIDER_CONFDIR to its directory.',
    );
  const [first = ''] = searched.split(', ');
  return new Error(
    `muster has no configuration: none of ${names.join(', ')} is in ${searched}. Create ${first.replace(/\/$/, '')}/muster.config.yaml, or name another file in MUSTER_CONFIG.`,
  );
}

function firstConfiguration(directories: readonly string[]): string | undefined {
  const { existsSync } = process.getBuiltinModule('node:fs');
  const { join, resolve } = process.getBuiltinModule('node:path');
  for (const directory of directories) {
    const found = names.map((name) => resolve(join(directory, name))).find((file) => existsSync(file));
    if (found) return found;
  }
  return undefined;
}
