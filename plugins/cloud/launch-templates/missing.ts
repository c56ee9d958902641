import { ProviderFault } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { forgetTemplate } from './known-templates.ts';
import type { TemplateVersion } from './template-version.ts';

/** As long as that, EC2 may deny a launch template that was just made. */
const youngMs = 300_000;

/** Whether a version may only not be known everywhere yet; counted from the first call. */
export const isYoung = (session: CloudSession, { id, version }: Pick<TemplateVersion, 'id' | 'version'>): boolean =>
  session.consistencyGrace.has(`launch template ${id} ${version}`, youngMs);

/**
 * What it means that a launch did not find its launch template: a young one of ours is only not known everywhere yet;
 * an old one was deleted, and the next attempt makes another; a foreign one is the template's mistake. /
 */
export function templateFault(session: CloudSession, used: TemplateVersion, fault: ProviderFault): ProviderFault {
  const details = { code: fault.code, cause: fault.cause };
  if (used.owner === 'foreign') return new ProviderFault('invalid', fault.message, details);
  if (isYoung(session, used)) return new ProviderFault('unavailable', fault.message, details);
  forgetTemplate(session, used.id);
  return new ProviderFault('gone', fault.message, details);
}
