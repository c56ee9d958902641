import { BrokerError } from '../../core/contract/errors.ts';
import { sentences, type Finding } from '../../core/contract/findings.ts';
import type { Plugin } from '../../core/contract/plugin.ts';
import { inspectPlugins } from './inspect-plugins.ts';

export interface LoadPluginsOptions {
  /** The directory from which packages and paths are resolved: the directory of the configuration file. */
  readonly cwd: string;
}

/**
 * Loads plugins in the order of their names: built-in name, package or path. Throws INVALID_CONFIGURATION with one
 * finding (`/plugins/0`) for each plugin that is not found, fails to load, is not a plugin, is listed twice, lacks a
 * plugin that it requires, or contributes what an earlier plugin contributes.
 */
export async function loadPlugins(names: readonly string[], { cwd }: LoadPluginsOptions): Promise<readonly Plugin[]> {
  const inspected = await inspectPlugins(names, cwd);
  const findings = inspected.flatMap(({ problems }, index) =>
    problems.map((message): Finding => ({ level: 'error', path: `/plugins/${index}`, message })),
  );
  if (findings.length === 0) return inspected.flatMap(({ plugin }) => plugin ?? []);
  throw new BrokerError('INVALID_CONFIGURATION', `Plugins cannot be loaded: ${sentences(findings)}`, { findings });
}
