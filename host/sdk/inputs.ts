import type { Static, TObject } from 'typebox';
import type { Template } from '../../core/model/template.ts';
import type { Operation } from '../../core/operations/operation.ts';
import type { Operations } from '../../core/operations/registry.ts';

export type CamelCase<S extends string> = S extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : S;
type InCamelCase<I> = { [F in keyof I as F extends string ? CamelCase<F> : F]: I[F] };

/** Aliases of fields, which every operation with the field accepts. The schemas contain them too. */
export interface Aliases {
  readonly machine_count: 'count' | 'requested_count';
  readonly provider_name: 'provider';
  readonly provider_instance: 'provider' | 'provider_name';
}
type Renamed<I, From, To extends string> = { [F in keyof I as F extends From ? To : F]: I[F] };
type WithAlias<I> = { [F in keyof I & keyof Aliases]: { [A in Aliases[F]]: Renamed<I, F, A> }[Aliases[F]] }[keyof I &
  keyof Aliases];

type InSnakeCase<I> = I | WithAlias<I>;
/** All spellings of an input. */
type Spelled<I> = InSnakeCase<I> | InCamelCase<I> | InCamelCase<WithAlias<I>>;

/** A field with the value null is removed. */
type Removable<T> = { [F in keyof T]?: T[F] | null };

/** Operations with a template as input accept any template field, also fields of plugins. */
interface TemplateInput {
  readonly create_template: Partial<Template>;
  readonly update_template: Removable<Template>;
  readonly validate_template: { readonly [field: string]: unknown };
}

type OwnInput<O> = O extends Operation<infer I extends TObject, any, any> ? Static<I> : never;

/** The input of an operation. */
export type InputOf<N extends keyof Operations> = Spelled<OwnInput<Operations[N]>> &
  (N extends keyof TemplateInput ? TemplateInput[N] : unknown);
