import { ProviderFault } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import type { TemplateVersion } from './template-version.ts';

/** As long as that, EC2 may deny a launch template that was just made. */
const youngMs = 300_000;

/** Whether a version may only not be known everywhere yet; counted from the first call. */
export const isYoung = (session: CloudSession, { id, version }: Pick<TemplateVersion, 'id' | 'version'>): boolean =>
  session.consistencyGrace.has(`launch template ${id} ${version}`, youngMs);

/**
 * What it means that a launch did not find its launch template: a young one of ours is only not known everywhere yet; an old one was deleted,
 * and the next attempt makes another; a foreign one is the template's mistake.
 */
export function templateFault(session: CloudSession, used: TemplateVersion, fault: ProviderFault): ProviderFault {
  const details = { code: fault.code, cause: fault.cause };
  if (used.owner === 'foreign') return new ProviderFault('invalid', fault.message, details);
  if (isYoung(session, used)) return new ProviderFault('unavailable', fault.message, details);
  forget(session, used.id);
  return new ProviderFault('gone', fault.message, details);
}

/** Forgets what was remembered of a launch template, so that it is looked for anew. */
export function forget(session: CloudSession, id: string): void {
  for (const [key, value] of session.memory)
    if (key.startsWith('launch template ') && (value as Partial<TemplateVersion>).id === id) session.memory.delete(key);
}
