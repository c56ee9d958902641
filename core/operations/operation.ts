import type { Static, TObject, TSchema } from 'typebox';
import type { Code } from '../contract/errors.ts';
import type { IdempotencyKey } from '../requests/idempotency.ts';
import type { ListOf, Reclaimed, RequestDetail, TemplateDetail } from '../contract/scheduler.ts';
import type { Lazy } from '../requests/queries/detail.ts';
import type { Services } from './services.ts';

/** What a handler returns for each view of the scheduler strategy. */
export interface Viewed {
  readonly requested: RequestDetail;
  readonly returned: RequestDetail;
  readonly status: Lazy<RequestDetail> & { readonly observed_at?: number };
  readonly listed: Lazy<ListOf<RequestDetail>>;
  readonly templates: ListOf<TemplateDetail>;
  readonly reclaims: readonly Reclaimed[];
}
export type ViewName = keyof Viewed;

/** How an operation is reached over REST. */
export interface RestBinding {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1`; `{name}` is a path parameter. A list's path ends in `/` and is served without it too. */
  readonly path: string;
  /** Status of the success. Default 200. */
  readonly status?: number;
  /** Rate-limit group. */
  readonly limit?: 'provider' | 'template' | 'request' | 'validation' | 'read';
  /** Inputs that this route does not take. */
  readonly omit?: readonly string[];
  /** Inputs that this route does not insist on, though the operation does. */
  readonly optional?: readonly string[];
  /** Inputs that this route fixes. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** Defaults of this route, where they differ from the operation's own. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** Form of failures. Default `detail`. */
  readonly errors?: 'detail' | 'error';
  /** Whether an Idempotency-Key is honoured. */
  readonly idempotent?: boolean;
}

/** Who calls, as far as it matters. */
export interface Caller {
  readonly key?: IdempotencyKey;
  /** Whether it is who runs the broker: in the same process, or over the Unix socket. He may be told of any file. Default false: it may be anybody. */
  readonly owner?: boolean;
}

/** An answer of a schema may be lazy too: then equal keys give the kept one. */
type Result<O extends ViewName | TSchema> = O extends ViewName ? Viewed[O] : O extends TSchema ? Static<O> | Lazy<Static<O>> : never;

type Stem<C extends string> = C extends `${infer S}Command` ? S : C extends `${infer S}Query` ? S : never;
type Snake<S extends string> = S extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';
/** `CreateRequestCommand` → `create_request`. */
export type NameOf<C extends string> = Snake<Uncapitalize<Stem<C>>>;

/** One thing that muster can do, declared once: every face reads it off here. */
export interface Operation<I extends TObject = TObject, O extends ViewName | TSchema = ViewName | TSchema, N extends string = string> {
  /** As in the specification; kind and the SDK's and MCP's names follow from it. */
  readonly class_name: string;
  readonly kind: 'command' | 'query';
  /** `create_request`. */
  readonly name: N;
  readonly summary: string;
  readonly input: I;
  /** A view of the scheduler strategy, or the schema of the result. */
  readonly output: O;
  readonly rest?: RestBinding | readonly RestBinding[];
  /** Codes with which it refuses, beside those of any call: bad input, and what every face can meet. */
  readonly refusals?: readonly Code[];
  /**
   * `args`: inputs that stand by their place. `example`: a whole command line, with which the help of the command
   * ends.
   */
  readonly cli?: { readonly command: string; readonly args?: readonly string[]; readonly example: string };
  /** Defaults on the command line and over MCP, where they differ from the operation's own. */
  readonly interactive_defaults?: Readonly<Record<string, unknown>>;
  /** For agents: it may destroy something. Default false. */
  readonly destructive?: boolean;
  /** For agents, of a command: the same call once more changes nothing further. Default false; a query changes nothing at all. */
  readonly repeatable?: boolean;
  /** Its answer, of one shape whatever the scheduler, tells a status in the word of the caller's scheduler. Default false. */
  readonly tells_status_word?: boolean;
  /** What it stores is carried out afterwards: without a server that runs, somebody must see to it. Default false. */
  readonly leaves_work?: boolean;
  /** It asks the loop: without a server that runs, the command line and MCP run one for the time of the call. Default false. */
  readonly needs_loop?: boolean;
  handle(input: Static<I>, services: Services, caller: Caller): Promise<Result<O>>;
}

/** `CreateRequestCommand` → a command called `create_request`. */
export function operation<C extends `${string}Command` | `${string}Query`, I extends TObject, O extends ViewName | TSchema>(
  className: C,
  declared: Omit<Operation<I, O>, 'class_name' | 'kind' | 'name'>,
): Operation<I, O, NameOf<C>> {
  const kind = className.endsWith('Command') ? 'command' : 'query';
  const stem = className.replace(/(Command|Query)$/, '');
  const name = stem.replace(/(?<!^)([A-Z])/g, '_$1').toLowerCase() as NameOf<C>;
  return { ...declared, class_name: className, kind, name };
}
