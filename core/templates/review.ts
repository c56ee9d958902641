import { Type, type TObject, type TSchema } from 'typebox';
import { byPath, moreFindings, mostFindings, type Finding } from '../contract/findings.ts';
import { commonTemplateFields, defaultReadyTimeoutS } from '../model/template.ts';
import type { ObjectSchema } from '../schema/object-schema.ts';
import type { ProviderApi } from '../contract/provider/provider-api.ts';
import type { ProviderType } from '../contract/provider/provider-type.ts';
import type { CanonicalTemplate } from '../contract/scheduler.ts';
import { compile, type Compiled } from '../schema/compile.ts';
import { hint, nearest } from '../schema/spelling.ts';
import { defaultTimeoutS } from '../model/request.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Checks the fields, spelling and names of templates against all loaded plugins. Pure. */
export class TemplateReview {
  /** The common fields and those of every loaded provider type and API. Other fields are allowed. */
  readonly schema: TObject;
  readonly #compiled: Compiled<unknown>;
  readonly #types: ReadonlyMap<string, string>;
  readonly #apis: ReadonlyMap<string, string>;

  constructor(types: readonly ProviderType<any, any>[], apis: readonly ProviderApi[]) {
    this.schema = templateSchema([
      ...types.map((type) => type.fields),
      ...apis.map((api) => api.fields as ObjectSchema | undefined),
    ]);
    this.#compiled = compile(this.schema);
    this.#types = namesOf(types.map((type) => [type.type, type.aliases]));
    this.#apis = namesOf(apis.map((api) => [api.name, api.aliases]));
  }

  /**
   * Canonical spelling of fields, of provider types and APIs, and of values with `value_aliases`. Unknown fields stay
   * as written.
   */
  readonly canonical = (raw: Readonly<Record<string, unknown>>): CanonicalTemplate => {
    const { value, findings } = this.#compiled.canonical(raw);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return {
        fields: {},
        findings: [{ level: 'error', path: '', message: 'must be an object with the fields of a template' }],
      };
    }
    const fields = { ...value } as Record<string, unknown>;
    rewrite(fields, 'provider_type', this.#types);
    // The name of a provider type stands for the preferred API of the instance.
    rewrite(fields, 'provider_api', new Map([...this.#types, ...this.#apis]));
    return { fields, findings };
  };

  /** The own name of a provider type by any of its names; undefined when no plugin contributes the type. */
  typeNamed(name: string): string | undefined {
    return this.#types.get(name);
  }

  /**
   * Checks canonical fields against types, bounds and patterns: errors. Undeclared fields are warnings with the most
   * similar known name; `unknown: 'near'` warns only when a known name is similar, for files that carry fields of
   * other programs. `most`: the most errors, and the most unknown names, that are examined.
   */
  check(fields: Fields, unknown: 'all' | 'near' | 'none' = 'all', most = mostFindings): Finding[] {
    const errors = this.#compiled.parse(fields, { most }).findings ?? [];
    return [...errors, ...(unknown === 'none' ? [] : this.#unknown(fields, unknown, most))];
  }

  /** Provider types and APIs that no loaded plugin contributes: errors. */
  references(fields: Fields): Finding[] {
    const findings: Finding[] = [];
    const check = (field: string, known: ReadonlyMap<string, string>, what: string) => {
      const given = fields[field];
      if (typeof given !== 'string' || known.has(given)) return;
      const names = [...new Set(known.values())];
      findings.push({
        level: 'error',
        path: `/${field}`,
        message: `no loaded plugin brings the ${what} '${given}'${hint(given, names)}`,
      });
    };
    check('provider_type', this.#types, 'provider type');
    check('provider_api', new Map([...this.#types, ...this.#apis]), 'provider API');
    return findings;
  }

  /** All findings about one template that need no provider. `fields` in canonical spelling. */
  review(fields: Fields): Finding[] {
    return [...this.check(fields), ...this.references(fields)].toSorted(byPath);
  }

  #unknown(fields: Fields, which: 'all' | 'near', most: number): Finding[] {
    const known = Object.keys(this.schema.properties);
    const undeclared = Object.keys(fields).filter((name) => !Object.hasOwn(this.schema.properties, name));
    const found = undeclared.slice(0, most).flatMap((name): Finding[] => {
      const near = nearest(name, known);
      if (which === 'near' && near === undefined) return [];
      return [
        {
          level: 'warning',
          path: `/${name}`,
          message: `unknown field, kept as it is${near ? `; did you mean '${near}'?${limitNotSet(near, fields)}` : ''}`,
        },
      ];
    });
    const more = undeclared.length - Math.min(undeclared.length, most);
    return more > 0 && which === 'all' ? [...found, moreFindings(more, 'warning')] : found;
  }
}

/** One schema over all plugins. When two plugins declare a field differently, either form is valid. */
function templateSchema(parts: readonly (ObjectSchema | undefined)[]): TObject {
  const properties: Record<string, TSchema> = { ...commonTemplateFields };
  for (const part of parts) {
    for (const [name, field] of Object.entries(part?.properties ?? {})) {
      const known = properties[name];
      if (Object.hasOwn(commonTemplateFields, name)) continue;
      properties[name] = known === undefined || same(known, field) ? field : either(known, field);
    }
  }
  // Which fields are required depends on the API, so the review of the API reports missing ones.
  const object = Type.Object(properties, { additionalProperties: true }) as TObject & { required?: string[] };
  return { ...object, required: ['template_id'] } as TObject;
}

const same = (a: TSchema, b: TSchema): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function either(a: TSchema, b: TSchema): TSchema {
  const variants = [a, b].flatMap((schema) => (schema as { anyOf?: TSchema[] }).anyOf ?? [schema]);
  const { description, aliases } = a as { description?: string; aliases?: string[] };
  return Type.Union(variants, { ...(description ? { description } : {}), ...(aliases ? { aliases } : {}) });
}

const namesOf = (named: readonly (readonly [string, readonly string[] | undefined])[]): ReadonlyMap<string, string> =>
  new Map([
    ...named.flatMap(([name, aliases = []]) => aliases.map((alias) => [alias, name] as const)),
    ...named.map(([name]) => [name, name] as const),
  ]);

function rewrite(fields: Record<string, unknown>, field: string, names: ReadonlyMap<string, string>): void {
  const given = fields[field];
  if (typeof given === 'string') fields[field] = names.get(given) ?? given;
}

/** The effect of a limit that is not set. */
const without: Readonly<Record<string, string>> = {
  max_instances: 'the number of its machines has no limit',
  timeout: `the time-out of a request is ${defaultTimeoutS} s`,
  ready_timeout: `a machine has ${defaultReadyTimeoutS} s to become ready`,
  max_price: 'the price of its Spot machines has no limit',
};

/** A warning when a misspelled field leaves a limit unset; empty for fields that are no limit. */
const limitNotSet = (meant: string, fields: Fields): string =>
  Object.hasOwn(without, meant) && !Object.hasOwn(fields, meant)
    ? ` '${meant}' is not set, so ${without[meant]}.`
    : '';
