/**
 * The sentence for a Node that cannot run muster, as `engines` of package.json says; undefined for others. Runs before
 * everything else, on any Node that knows modules.
 */
export function tooOldNode({ version, execPath, platform, arch }: NodeJS.Process): string | undefined {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  if (major >= 26 || (major === 24 && minor >= 12)) return undefined;
  const own = platform === 'linux' ? `; npm installed one with muster, node_modules/node-linux-${arch}/bin/node` : '';
  return `muster needs Node 24 from 24.12 on, or Node 26 or newer; this is ${version} (${execPath}). Run it with one of these${own}.`;
}
