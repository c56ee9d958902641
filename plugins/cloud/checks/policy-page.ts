import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const page = 'docs/reference/aws-permissions.md';
// This file lies in plugins/cloud/checks in the sources, and below dist in a package.
const root = new URL(import.meta.url.endsWith('.ts') ? '../../../' : '../../../../', import.meta.url);

/** Where the page with the whole policy lies on this computer, for a message. */
export function policyPage(): string {
  const path = fileURLToPath(new URL(page, root));
  return existsSync(path) ? path : `${page} of the package muster`;
}
