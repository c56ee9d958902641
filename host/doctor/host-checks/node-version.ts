import { isSupportedNode } from '../../../core/node/is-supported-node.ts';
import type { HostCheck } from '../report.ts';

/** Whether this Node can run muster. */
export const nodeCheck: HostCheck<{ readonly version: string }> = {
  name: 'node',
  why: 'muster runs on Node 24 from 24.12 on, and on Node 26 or newer.',
  remedy: 'Run npm ci, which installs a Node of its own for muster, or install Node 24 or 26.',
  run({ version }) {
    return [{ level: isSupportedNode(version) ? 'ok' : 'error', message: `Node ${version}.` }];
  },
};
