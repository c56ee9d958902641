import type { HostCheck } from '../report.ts';

/** Whether this Node can run muster. */
export const nodeCheck: HostCheck<{ readonly version: string }> = {
  name: 'node',
  why: 'muster runs on Node 24 from 24.12 on, and on Node 26 or newer.',
  remedy: 'Run npm ci, which installs a Node of its own for muster, or install Node 24 or 26.',
  run({ version }) {
    const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
    const isKnown = (major === 24 && minor >= 12) || major >= 26;
    return [{ level: isKnown ? 'ok' : 'error', message: `Node ${version}.` }];
  },
};
