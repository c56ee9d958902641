import { isSupportedNode } from './is-supported-node.ts';

/**
 * The sentence for a Node that cannot run muster, undefined for others. Runs before everything else, on any Node that
 * knows modules.
 */
export function tooOldNode({ version, execPath, platform, arch }: NodeJS.Process): string | undefined {
  if (isSupportedNode(version)) return undefined;
  const own = platform === 'linux' ? `; npm installed one with muster, node_modules/node-linux-${arch}/bin/node` : '';
  return `muster needs Node 24 from 24.12 on, or Node 26 or newer; this is ${version} (${execPath}). Run it with one of these${own}.`;
}
