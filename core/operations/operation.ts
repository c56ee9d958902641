import type { Static, TObject, TSchema } from 'typebox';
import type { Code } from '../contract/errors.ts';
import type { IdempotencyKey } from '../requests/idempotency.ts';
import type { ListOf, Reclaimed, RequestDetail, TemplateDetail } from '../contract/scheduler.ts';
import type { Lazy } from '../requests/queries/detail.ts';
import type { Services } from './services.ts';

/** The result of a handler for each view of the scheduler strategy. */
export interface Viewed {
  readonly requested: RequestDetail;
  readonly returned: RequestDetail;
  readonly status: Lazy<RequestDetail> & { readonly observed_at?: number };
  readonly listed: Lazy<ListOf<RequestDetail>>;
  readonly templates: ListOf<TemplateDetail>;
  readonly reclaims: readonly Reclaimed[];
}
export type ViewName = keyof Viewed;

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
  /** The list of the answer that a call with `Accept: text/csv` gets as CSV. Absent: the route has no CSV. */
  readonly csv?: string;
  /** Whether the route supports an Idempotency-Key. */
  readonly idempotent?: boolean;
}

/** What a handler knows about the caller. */
export interface Caller {
  readonly key?: IdempotencyKey;
  /**
   * Whether the caller is the operator: it calls in the same process or over the Unix socket, and may learn about any
   * file. Default false.
   */
  readonly owner?: boolean;
}

/** The result of a handler. A result with a schema may be lazy: then equal keys return the cached answer. */
type Result<O extends ViewName | TSchema> = O extends ViewName
  ? Viewed[O]
  : O extends TSchema
    ? Static<O> | Lazy<Static<O>>
    : never;

type Stem<C extends string> = C extends `${infer S}Command` ? S : C extends `${infer S}Query` ? S : never;
type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';
/** `CreateRequestCommand` → `create_request`. */
export type NameOf<C extends string> = Snake<Uncapitalize<Stem<C>>>;

/** An operation of muster, declared once. All interfaces are made from this declaration. */
export interface Operation<
  I extends TObject = TObject,
  O extends ViewName | TSchema = ViewName | TSchema,
  N extends string = string,
> {
  /** The name in the specification. The kind and the names in the SDK and MCP are derived from it. */
  readonly class_name: string;
  readonly kind: 'command' | 'query';
  /** For example `create_request`. */
  readonly name: N;
  readonly summary: string;
  readonly input: I;
  /** A view of the scheduler strategy, or the schema of the result. */
  readonly output: O;
  readonly rest?: RestBinding | readonly RestBinding[];
  /**
   * The error codes of this operation, besides those of every call: invalid input, and the codes of the interfaces.
   */
  readonly refusals?: readonly Code[];
  /** `args`: the positional inputs. `example`: a complete command line, shown at the end of the help. */
  readonly cli?: { readonly command: string; readonly args?: readonly string[]; readonly example: string };
  /** Defaults of the command line and MCP that differ from those of the operation. */
  readonly interactive_defaults?: Readonly<Record<string, unknown>>;
  /** A hint for agents: the operation may destroy something. Default false. */
  readonly destructive?: boolean;
  /**
   * A hint for agents: a repeated call of the command changes nothing further. Default false. A query changes nothing.
   */
  readonly repeatable?: boolean;
  /**
   * The answer has the same shape for every scheduler, but contains a status in the word of the caller's scheduler.
   * Default false.
   */
  readonly tells_status_word?: boolean;
  /** The loop executes the stored change later, so a running server is needed. Default false. */
  readonly leaves_work?: boolean;
  /**
   * The operation asks the loop. When no server runs, the command line and MCP run a loop during the call. Default
   * false.
   */
  readonly needs_loop?: boolean;
  handle(input: Static<I>, services: Services, caller: Caller): Promise<Result<O>>;
}

/** Declares an operation: `CreateRequestCommand` → a command with the name `create_request`. */
export function operation<
  C extends `${string}Command` | `${string}Query`,
  I extends TObject,
  O extends ViewName | TSchema,
>(className: C, declared: Omit<Operation<I, O>, 'class_name' | 'kind' | 'name'>): Operation<I, O, NameOf<C>> {
  const kind = className.endsWith('Command') ? 'command' : 'query';
  const stem = className.replace(/(Command|Query)$/, '');
  const name = stem.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase() as NameOf<C>;
  return { ...declared, class_name: className, kind, name };
}
