import type { Static, TProperties } from 'typebox';

/** The JSON schema of an object. Whichever library made it, the broker reads it as JSON: `typebox`, `@sinclair/typebox`, or none at all. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: TProperties;
}

/** The values that a schema allows. `@sinclair/typebox` tells it in `static`, a property that only types have. */
export type ValueOf<Schema> = Schema extends { readonly static: infer Value } ? Value : Static<Schema & {}>;
