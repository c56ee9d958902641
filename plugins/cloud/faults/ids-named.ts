import type { ProviderFault } from '../../../core/index.ts';

/** The machines that a refusal of EC2 names by their ids: whole ids, since one may begin with another. */
export function idsNamed(fault: ProviderFault): ReadonlySet<string> {
  const said = (fault.cause as { readonly said?: string } | undefined)?.said ?? fault.message;
  return new Set(said.match(/\bi-[0-9a-f]+\b/g) ?? []);
}
