/** The REST route of an operation. */
export interface RestBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * Below `/api/v1`; `{name}` is a path parameter. The path of a list ends in `/` and is also served without the
   * slash.
   */
  readonly path: string;
  /** The status of a success. Default 200. */
  readonly status?: number;
  /** The rate-limit group. */
  readonly limit?: 'provider' | 'template' | 'request' | 'validation' | 'read';
  /** Inputs that this route does not accept. */
  readonly omit?: readonly string[];
  /** Inputs that are optional on this route, although the operation requires them. */
  readonly optional?: readonly string[];
  /** Inputs with a fixed value on this route. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** Defaults of this route that differ from those of the operation. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** The form of errors. Default `detail`. */
  readonly errors?: 'detail' | 'error';
  /**
   * The list of the answer that a call with `Accept: text/csv` gets as CSV, and its columns for an input. Absent: the
   * route has no CSV.
   */
  readonly csv?: {
    readonly list: string;
    columns(input: Readonly<Record<string, unknown>>): readonly string[];
  };
  /** Whether the route supports an Idempotency-Key. */
  readonly idempotent?: boolean;
}
