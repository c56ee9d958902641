/** Whether a version of Node, such as `v24.12.0`, can run muster: what `engines` of package.json says. */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number);
  return major >= 26 || (major === 24 && minor >= 12);
}
