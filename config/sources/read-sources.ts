import { resolve } from 'node:path';
import type { Finding } from '../../core/contract/findings.ts';
import { compile } from '../../core/schema/compile.ts';
import { fromAwsprov, isAwsprov } from './awsprov.ts';
import { findConfiguration, readConfiguration, type ConfigurationSource } from './configuration-file.ts';
import { defaultPlugins } from '../setting-defaults.ts';
import type { Environment, Variables } from './environment.ts';
import type { LoadOptions } from '../load-options.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { ConfigurationFile, PluginsSection } from '../schema.ts';
import { EnvironmentVariables } from './variables.ts';

export type Tree = Readonly<Record<string, unknown>>;

/** The sources of a configuration, read and not yet merged. */
export interface Sources {
  /** Absent: there is no configuration file. */
  readonly source?: ConfigurationSource;
  /** The directory from which packages and paths are resolved. */
  readonly directory: string;
  readonly file: Tree;
  readonly variables: EnvironmentVariables;
  readonly environment: readonly Variables[];
  readonly commandLine: Tree;
  /** The names of the plugins; undefined when the value is not a list of names. */
  readonly plugins?: readonly string[];
}

/**
 * Finds and reads the sources of a configuration, as far as this needs no plugins. Throws FILE_NOT_FOUND or
 * PARSE_ERROR for the file.
 */
export async function readSources(options: LoadOptions, findings: Finding[]): Promise<Sources> {
  const named = options.file ?? (options.env['MUSTER_CONFIG'] || undefined);
  const source = toMusterForm(
    named === undefined
      ? await findConfiguration(options.cwd, findings)
      : await readConfiguration(resolve(options.cwd, named)),
    options.env,
    findings,
  );
  const file = source ? treeOf(source.value, findings) : {};
  const variables = new EnvironmentVariables(options.env);
  const environment = variables.sections();
  const commandLine = treeOf(options.overrides, findings);
  const listed = [commandLine, ...environment.map(({ tree }) => tree), file].find(
    (tree) => tree['plugins'] !== undefined,
  )?.['plugins'];
  const plugins = namesIn(listed, findings);
  return {
    ...(source ? { source } : {}),
    directory: source?.directory ?? resolve(options.cwd),
    file,
    variables,
    environment,
    commandLine,
    ...(plugins ? { plugins } : {}),
  };
}

function namesIn(listed: unknown, findings: Finding[]): readonly string[] | undefined {
  const parsed = compile(PluginsSection).parse(listed ?? defaultPlugins);
  findings.push(...(parsed.findings ?? []).map((finding) => ({ ...finding, path: `/plugins${finding.path}` })));
  return parsed.value;
}

/** Converts a configuration of HostFactory's AWS provider; returns every other configuration unchanged. */
function toMusterForm(
  source: ConfigurationSource | undefined,
  env: Environment,
  findings: Finding[],
): ConfigurationSource | undefined {
  if (!source || !isAwsprov(source)) return source;
  const converted = fromAwsprov(source, env);
  findings.push(...converted.findings);
  return converted;
}

/** The value in canonical spelling; a value that is not an object is a finding. */
function treeOf(value: unknown, findings: Finding[]): Tree {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) {
    findings.push({ level: 'error', path: '', message: 'must be an object with the sections of a configuration' });
    return {};
  }
  const canonical = compile(ConfigurationFile).canonical(value);
  findings.push(...canonical.findings);
  return canonical.value as Tree;
}
