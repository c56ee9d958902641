import type { Static, TObject } from 'typebox';
import type { Template } from '../../core/model/template.ts';
import type { Operation } from '../../core/operations/operation.ts';
import type { Operations } from '../../core/operations/registry.ts';

export type CamelCase<S extends string> = S extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : S;
type InCamelCase<I> = { [F in keyof I as F extends string ? CamelCase<F> : F]: I[F] };

/** Other names of fields, which every operation that has the field takes. The schemas know them too. */
export interface Aliases {
  readonly machine_count: 'count' | 'requested_count';
  readonly provider_name: 'provider';
  readonly provider_instance: 'provider' | 'provider_name';
}
type Renamed<I, From, To extends string> = { [F in keyof I as F extends From ? To : F]: I[F] };
type WithAlias<I> = { [F in keyof I & keyof Aliases]: { [A in Aliases[F]]: Renamed<I, F, A> }[Aliases[F]] }[keyof I &
  keyof Aliases];

type InSnakeCase<I> = I | WithAlias<I>;
/** Each of the spellings in which an input may be written. */
type Spelled<I> = InSnakeCase<I> | InCamelCase<I> | InCamelCase<WithAlias<I>>;

/** A field that is null goes. */
type Taken<T> = { [F in keyof T]?: T[F] | null };

/** Operations that take a template take any field of one, also those that only a plugin knows. */
interface Beside {
  readonly create_template: Partial<Template>;
  readonly update_template: Taken<Template>;
  readonly validate_template: { readonly [field: string]: unknown };
}

type OwnInput<O> = O extends Operation<infer I extends TObject, any, any> ? Static<I> : never;

/** What an operation takes. */
export type InputOf<N extends keyof Operations> = Spelled<OwnInput<Operations[N]>> &
  (N extends keyof Beside ? Beside[N] : unknown);
