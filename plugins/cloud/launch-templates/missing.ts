import { ProviderFault } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { forgetTemplate } from './known-templates.ts';
import type { TemplateVersion } from './template-version.ts';

/** The longest time for which EC2 may not show a new launch template. */
const propagationMs = 300_000;

/** Whether a version may not be visible everywhere yet. The time is counted from the first call. */
export const mayBePropagating = (
  session: CloudSession,
  { id, version }: Pick<TemplateVersion, 'id' | 'version'>,
): boolean => session.consistencyGrace.has(`launch template ${id} ${version}`, propagationMs);

/**
 * The fault of a launch that did not find its launch template: a new one of muster may not be visible everywhere yet;
 * an old one was deleted, and the next attempt creates another; a foreign one is an error of the template.
 */
export function templateFault(session: CloudSession, used: TemplateVersion, fault: ProviderFault): ProviderFault {
  const details = { code: fault.code, cause: fault.cause };
  if (used.owner === 'foreign') return new ProviderFault('invalid', fault.message, details);
  if (mayBePropagating(session, used)) return new ProviderFault('unavailable', fault.message, details);
  forgetTemplate(session, used.id);
  return new ProviderFault('gone', fault.message, details);
}
