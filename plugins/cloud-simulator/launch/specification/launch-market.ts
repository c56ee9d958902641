import type { CatalogueInstanceType } from '../../catalogue.ts';
import type { CallContext } from '../../state/call-context.ts';
import { factsOf } from '../../type-facts.ts';
import { AwsError, invalidCombination, invalidParameter } from '../../wire/errors.ts';
import { type Params, part, text } from '../../wire/form.ts';
import { decimal, integer, oneOf } from '../../wire/values.ts';
import type { Market } from './launch-spec.ts';

/** Reads `InstanceMarketOptions`. `market` is the choice of a fleet, which overrides that of the template. */
export function readMarket(
  context: CallContext,
  all: Params,
  type: CatalogueInstanceType,
  market: Market | undefined,
): { readonly market: Market; readonly maxPrice: number | undefined } {
  const options = part(all, 'InstanceMarketOptions');
  const named = oneOf(options, 'MarketType', ['spot', 'capacity-block']);
  // A fleet chooses between Spot and On-Demand by itself; a capacity block must be named by both.
  if (market !== undefined && market !== named && [market, named].includes('capacity-block'))
    throw invalidCombination(
      `A fleet of ${market} capacity cannot use a launch template with MarketType ${named ?? 'on-demand'}.`,
    );
  const spot = part(options, 'SpotOptions');
  // A fleet merges the price of an override into the template without naming the market.
  if (market === undefined && named === undefined && spot !== undefined)
    throw invalidCombination('SpotOptions can only be specified together with MarketType spot.');
  const chosen = market ?? named ?? 'on-demand';
  if (chosen === 'spot' && !factsOf(type).spot)
    throw new AwsError(
      'UnsupportedOperation',
      `The instance type ${type.instance_type} is not supported on the Spot market.`,
    );
  if (spot !== undefined) checkSpotOptions(context, spot);
  return { market: chosen, maxPrice: decimal(spot, 'MaxPrice') };
}

function checkSpotOptions(context: CallContext, spot: Params): void {
  const kind = oneOf(spot, 'SpotInstanceType', ['one-time', 'persistent']) ?? 'one-time';
  const interruption = oneOf(spot, 'InstanceInterruptionBehavior', ['terminate', 'stop', 'hibernate']) ?? 'terminate';
  if (kind === 'one-time' && interruption !== 'terminate')
    throw invalidCombination(
      `InstanceInterruptionBehavior ${interruption} can only be specified for persistent Spot requests.`,
    );
  const price = decimal(spot, 'MaxPrice');
  if (price !== undefined && price <= 0)
    throw invalidParameter(`Value (${price}) for parameter MaxPrice is invalid. It must be above 0.`);
  if (integer(spot, 'BlockDurationMinutes') !== undefined)
    throw new AwsError('UnsupportedOperation', 'Spot Instances with a defined duration are no longer available.');
  checkEnd(context, text(spot, 'ValidUntil'), kind);
  // A persistent request would start another machine for each one that ends; treating it as one-time would mislead.
  if (kind === 'persistent') throw new AwsError('UnsupportedOperation', 'Persistent Spot requests are not simulated.');
}

function checkEnd(context: CallContext, until: string | undefined, kind: 'one-time' | 'persistent'): void {
  if (until === undefined) return;
  if (kind === 'one-time') throw invalidCombination('ValidUntil can only be specified for persistent Spot requests.');
  const end = Date.parse(until);
  if (Number.isNaN(end) || end <= context.now)
    throw invalidParameter(`Value (${until}) for parameter ValidUntil is invalid. It must be in the future.`);
}
