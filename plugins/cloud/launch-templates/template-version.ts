/** A version of a launch template. The attempt stores it: always as a number, because `$Latest` may change. */
export interface TemplateVersion {
  readonly id: string;
  readonly version: string;
  /**
   * The owner. `shared`: orders with equal contents. `order`: the launch template belongs to one order. `version`: the
   * version belongs to one order, and other orders have versions of the same launch template. Both are deleted with
   * the order. `foreign`: the template names the launch template.
   */
  readonly owner: 'shared' | 'order' | 'version' | 'foreign';
}
