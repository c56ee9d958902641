/**
 * The request that a plugin is called for, with its template. A failure of the call counts against them first, and
 * only then against the instance.
 */
export interface CalledFor {
  readonly request_id: string;
  readonly template_id: string;
}
