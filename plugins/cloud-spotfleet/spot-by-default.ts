import type { LaunchOrder, Template, Watched } from '../../core/index.ts';
import type { CloudTemplate } from '../cloud/index.ts';

/** A template that names no market means Spot here: Spot Fleet has nothing else to itself. */
export function spotByDefault(template: CloudTemplate): CloudTemplate {
  return template.price_type === undefined ? { ...template, price_type: 'spot' } : template;
}

/** An order of such a template. */
export function orderInSpot<O extends { readonly template: LaunchOrder['template'] }>(order: O): O {
  const template: Template = spotByDefault(order.template as CloudTemplate);
  return { ...order, template };
}

/** Attempts at such orders. */
export const watchedInSpot = <H extends object>(watched: readonly Watched<H>[]): Watched<H>[] =>
  watched.map((each) => ({ ...each, order: orderInSpot(each.order) }));
