import type { LaunchOrder, Template, Watched } from '../../core/index.ts';
import type { CloudTemplate } from '../cloud/index.ts';

/** Sets the market of a template that names none to Spot: Spot Fleet cannot start on-demand machines alone. */
export function spotByDefault(template: CloudTemplate): CloudTemplate {
  return template.price_type === undefined ? { ...template, price_type: 'spot' } : template;
}

/** The order with the default market in its template. */
export function orderInSpot<O extends { readonly template: LaunchOrder['template'] }>(order: O): O {
  const template: Template = spotByDefault(order.template as CloudTemplate);
  return { ...order, template };
}

/** The attempts with the default market in their templates. */
export const watchedInSpot = <H extends object>(watched: readonly Watched<H>[]): Watched<H>[] =>
  watched.map((each) => ({ ...each, order: orderInSpot(each.order) }));
