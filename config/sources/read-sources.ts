import { resolve } from 'node:path';
import type { Finding } from '../../core/contract/findings.ts';
import { compile } from '../../core/schema/compile.ts';
import { fromAwsprov, isAwsprov } from './awsprov.ts';
import { findConfiguration, readConfiguration, type ConfigurationSource } from './configuration-file.ts';
import { defaultPlugins } from '../defaults.ts';
import type { Environment, Variables } from './environment.ts';
import type { LoadOptions } from '../load-options.ts';
import { isObject } from '../../core/schema/is-object.ts';
import { ConfigurationFile, PluginsSection } from '../schema.ts';
import { EnvironmentVariables } from './variables.ts';

export type Tree = Readonly<Record<string, unknown>>;

/** What a configuration is made of, read and not yet merged. */
export interface Sources {
  /** Absent: there is no file. */
  readonly source?: ConfigurationSource;
  /** What packages and paths are resolved from. */
  readonly directory: string;
  readonly file: Tree;
  readonly variables: EnvironmentVariables;
  readonly environment: readonly Variables[];
  readonly commandLine: Tree;
  /** The names of the plugins; undefined when what stands there is no list of names. */
  readonly plugins?: readonly string[];
}

/** Finds and reads what a configuration is made of, as far as it can be read without plugins. FILE_NOT_FOUND or PARSE_ERROR for its file. */
export async function readSources(options: LoadOptions, findings: Finding[]): Promise<Sources> {
  const named = options.file ?? (options.env['MUSTER_CONFIG'] || undefined);
  const source = inOurForm(
    named === undefined ? await findConfiguration(options.cwd, findings) : await readConfiguration(resolve(options.cwd, named)),
    options.env,
    findings,
  );
  const file = source ? treeOf(source.value, findings) : {};
  const variables = new EnvironmentVariables(options.env);
  const environment = variables.sections();
  const commandLine = treeOf(options.overrides, findings);
  const wanted = [commandLine, ...environment.map(({ tree }) => tree), file].find((tree) => tree['plugins'] !== undefined)?.['plugins'];
  const plugins = namesIn(wanted, findings);
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

function namesIn(wanted: unknown, findings: Finding[]): readonly string[] | undefined {
  const parsed = compile(PluginsSection).parse(wanted ?? defaultPlugins);
  findings.push(...(parsed.findings ?? []).map((finding) => ({ ...finding, path: `/plugins${finding.path}` })));
  return parsed.value;
}

/** A configuration of HostFactory's AWS provider is taken as one of ours. */
function inOurForm(source: ConfigurationSource | undefined, env: Environment, findings: Finding[]): ConfigurationSource | undefined {
  if (!source || !isAwsprov(source)) return source;
  const ours = fromAwsprov(source, env);
  findings.push(...ours.findings);
  return ours;
}

/** In canonical spelling; what cannot be read as a configuration at all is a finding. */
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
