import { isFault, ProviderFault, type LaunchOrder } from '../../../core/index.ts';
import { poolsOf } from '../launch/pools.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { meaningOfCode } from './fault-codes.ts';
import { isTemplateMissing, templateFault, type TemplateVersion } from '../launch/launch-template.ts';
import type { CloudSession } from '../connection/session.ts';

/** The longest time until a new instance profile is visible everywhere. */
const profileVisibleMs = 120_000;

/** Whether a launch was refused because its instance profile does not exist, or is too new to be visible. */
export const isProfileMissing = ({ kind, message }: ProviderFault): boolean =>
  kind === 'unavailable' && /instance profile/i.test(message);

/**
 * The fault of a failed launch. `launchTemplate` is the one that the launch used: it may be too new to be visible. An
 * error that is not a fault is returned unchanged. AWS does not document whether a launch that named something that is
 * not visible yet keeps its token. Such a launch is repeated with another token, which is right in both cases.
 */
export function launchFault(
  session: CloudSession,
  order: LaunchOrder<any, any>,
  error: unknown,
  launchTemplate?: TemplateVersion,
): unknown {
  if (!isFault(error)) return error;
  if (launchTemplate && isTemplateMissing(error))
    return tokenSpent(templateFault(session, launchTemplate, error), 'call');
  if (!isProfileMissing(error)) return marketFault(order, error) ?? error;
  // The token changes with each call.
  return session.consistencyGrace.has(`profile ${order.request_id} ${order.attempt}`, profileVisibleMs)
    ? tokenSpent(error, 'call')
    : new ProviderFault('invalid', error.message, { code: error.code, cause: error.cause });
}

/** The fault of a launch that is repeated with another token. A fault that ends the order is returned unchanged. */
export function tokenSpent(error: unknown, token_spent: 'order' | 'call'): unknown {
  if (!isFault(error) || error.kind !== 'unavailable') return error;
  const { kind, message, code, cause } = error;
  return new ProviderFault(kind, message, { code, cause, token_spent });
}

/** The fault of a launch that was refused for its market, with all pools of the template in this market. */
function marketFault(order: LaunchOrder<any, any>, fault: ProviderFault): ProviderFault | undefined {
  const { kind, code, message, lack, cause } = fault;
  if (kind !== 'invalid' || meaningOfCode(code)?.scope !== 'market') return undefined;
  // The roles that a market needs are those of Spot.
  const refused = poolsOf(order.template as CloudTemplate).filter(({ market }) => market === 'spot');
  if (refused.length === 0) return undefined;
  return new ProviderFault(kind, message, {
    code,
    offers: refused.map(({ key }) => key),
    ...(lack === undefined ? {} : { lack }),
    cause,
  });
}
