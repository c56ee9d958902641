import { isFault, ProviderFault, type LaunchOrder } from '../../../core/index.ts';
import { isTemplateMissing, templateFault, type TemplateVersion } from '../launch/launch-template.ts';
import type { CloudSession } from '../connection/session.ts';

/** A new instance profile takes at most that long to be known everywhere. */
const profileMs = 120_000;

/**
 * What a launch that failed means, given what it referred to: some of that may only be too young. Anything but a fault
 * is passed on.
 */
export function launchFault(
  session: CloudSession,
  order: LaunchOrder<any, any>,
  error: unknown,
  used?: TemplateVersion,
): unknown {
  if (!isFault(error)) return error;
  if (used && isTemplateMissing(error)) return templateFault(session, used, error);
  if (
    error.kind === 'unavailable' &&
    /instance profile/i.test(error.message) &&
    !session.consistencyGrace.has(`profile ${order.token}`, profileMs)
  ) {
    return new ProviderFault('invalid', error.message, { code: error.code, cause: error.cause });
  }
  return error;
}
