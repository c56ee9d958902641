/**
 * The request that a plugin is called for, and its template: what goes wrong in such a call is charged to them before
 * it is to the instance.
 */
export interface CalledFor {
  readonly request_id: string;
  readonly template_id: string;
}
