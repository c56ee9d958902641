import { Type, type TObject, type TSchema } from 'typebox';
import { byPath, moreFindings, mostFindings, type Finding } from '../contract/findings.ts';
import { commonTemplateFields } from '../model/template.ts';
import type { ObjectSchema } from '../schema/object-schema.ts';
import type { ProviderApi, ProviderType } from '../contract/provider.ts';
import type { CanonicalTemplate } from '../contract/scheduler.ts';
import { compile, type Compiled } from '../schema/compile.ts';
import { hint, nearest } from '../schema/spelling.ts';
import { defaultTimeoutS } from '../model/request.ts';
import { defaultReadyTimeoutS } from '../model/template.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the loaded plugins say about templates: their fields, spelling and names. Pure. */
export class TemplateReview {
  /** The common fields and those of every loaded provider type and API; open. */
  readonly schema: TObject;
  readonly #compiled: Compiled<unknown>;
  readonly #types: ReadonlyMap<string, string>;
  readonly #apis: ReadonlyMap<string, string>;

  constructor(types: readonly ProviderType<any, any>[], apis: readonly ProviderApi[]) {
    this.schema = templateSchema([...types.map((type) => type.fields), ...apis.map((api) => api.fields as ObjectSchema | undefined)]);
    this.#compiled = compile(this.schema);
    this.#types = namesOf(types.map((type) => [type.type, type.aliases]));
    this.#apis = namesOf(apis.map((api) => [api.name, api.aliases]));
  }

  /** Canonical spelling of fields, of provider types and APIs, and of values that a schema gives `value_aliases`. Unknown fields stay as written. */
  readonly canonical = (raw: Readonly<Record<string, unknown>>): CanonicalTemplate => {
    const { value, findings } = this.#compiled.canonical(raw);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { fields: {}, findings: [{ level: 'error', path: '', message: 'must be an object with the fields of a template' }] };
    }
    const fields = { ...value } as Record<string, unknown>;
    rewrite(fields, 'provider_type', this.#types);
    // The name of a provider type stands for whatever API its instances prefer.
    rewrite(fields, 'provider_api', new Map([...this.#types, ...this.#apis]));
    return { fields, findings };
  };

  /** The own name of a provider type; undefined for one that no plugin brings. */
  typeNamed(name: string): string | undefined {
    return this.#types.get(name);
  }

  /**
   * Types, bounds and patterns of canonical fields: errors. Fields that nobody declares: warnings, with the nearest known name; `unknown:
   * 'near'` warns only where a known name is near, for files that carry fields of other programs. `most`: so many errors are looked for, and so many
   * unknown names are looked at.
   */
  check(fields: Fields, unknown: 'all' | 'near' | 'none' = 'all', most = mostFindings): Finding[] {
    const errors = this.#compiled.parse(fields, { most }).findings ?? [];
    return [...errors, ...(unknown === 'none' ? [] : this.#unknown(fields, unknown, most))];
  }

  /** Provider types and APIs that no loaded plugin brings: errors. */
  references(fields: Fields): Finding[] {
    const findings: Finding[] = [];
    const look = (field: string, known: ReadonlyMap<string, string>, what: string) => {
      const given = fields[field];
      if (typeof given !== 'string' || known.has(given)) return;
      const names = [...new Set(known.values())];
      findings.push({ level: 'error', path: `/${field}`, message: `no loaded plugin brings the ${what} '${given}'${hint(given, names)}` });
    };
    look('provider_type', this.#types, 'provider type');
    look('provider_api', new Map([...this.#types, ...this.#apis]), 'provider API');
    return findings;
  }

  /** Everything that can be said about one template without a provider. `fields` in canonical spelling. */
  review(fields: Fields): Finding[] {
    return [...this.check(fields), ...this.references(fields)].toSorted(byPath);
  }

  #unknown(fields: Fields, which: 'all' | 'near', most: number): Finding[] {
    const known = Object.keys(this.schema.properties);
    const strange = Object.keys(fields).filter((name) => !Object.hasOwn(this.schema.properties, name));
    const found = strange.slice(0, most).flatMap((name): Finding[] => {
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
    const more = strange.length - Math.min(strange.length, most);
    return more > 0 && which === 'all' ? [...found, moreFindings(more, 'warning')] : found;
  }
}

/** One schema over all plugins. Where two declare a field differently, either form is right. */
function templateSchema(parts: readonly (ObjectSchema | undefined)[]): TObject {
  const properties: Record<string, TSchema> = { ...commonTemplateFields };
  for (const part of parts) {
    for (const [name, field] of Object.entries(part?.properties ?? {})) {
      const known = properties[name];
      if (Object.hasOwn(commonTemplateFields, name)) continue;
      properties[name] = known === undefined || same(known, field) ? field : either(known, field);
    }
  }
  // Which fields an API insists on depends on the API: it says so in its own review.
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

/** What holds while a field that bounds something is not set. */
const without: Readonly<Record<string, string>> = {
  max_instances: 'nothing bounds how many machines it may have',
  timeout: `a request waits ${defaultTimeoutS} s`,
  ready_timeout: `a machine has ${defaultReadyTimeoutS} s to become ready`,
  max_price: 'nothing bounds the price of its Spot machines',
};

/** Said where a field was probably meant and a limit is therefore not set; empty where no limit is lost. */
const limitNotSet = (meant: string, fields: Fields): string =>
  Object.hasOwn(without, meant) && !Object.hasOwn(fields, meant) ? ` As it stands '${meant}' is not set: ${without[meant]}.` : '';
