/**
 * A launch template at one version. Stored with the attempt: always a number, because `$Latest` may mean another
 * tomorrow.
 */
export interface TemplateVersion {
  readonly id: string;
  readonly version: string;
  /**
   * Whose it is: `shared` between orders with equal contents; an `order`'s own launch template, or an order's own
   * `version` of one that others have versions of too, both of which go with the order; or the `foreign` one that the
   * template names. /
   */
  readonly owner: 'shared' | 'order' | 'version' | 'foreign';
}
