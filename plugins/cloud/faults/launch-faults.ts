import { isFault, ProviderFault, type LaunchOrder } from '../../../core/index.ts';
import { poolsOf } from '../launch/pools.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { meaningOfCode } from './fault-codes.ts';
import { isTemplateMissing, templateFault, type TemplateVersion } from '../launch/launch-template.ts';
import type { CloudSession } from '../connection/session.ts';

/** The longest time until a new instance profile is visible everywhere. */
const profileVisibleMs = 120_000;

/**
 * The fault of a failed launch. `launchTemplate` is the one that the launch used: it may be too new to be visible. An
 * error that is not a fault is returned unchanged.
 */
export function launchFault(
  session: CloudSession,
  order: LaunchOrder<any, any>,
  error: unknown,
  launchTemplate?: TemplateVersion,
): unknown {
  if (!isFault(error)) return error;
  if (launchTemplate && isTemplateMissing(error)) return templateFault(session, launchTemplate, error);
  if (
    error.kind === 'unavailable' &&
    /instance profile/i.test(error.message) &&
    !session.consistencyGrace.has(`profile ${order.token}`, profileVisibleMs)
  ) {
    return new ProviderFault('invalid', error.message, { code: error.code, cause: error.cause });
  }
  return marketFault(order, error) ?? error;
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
