import type { Static, TSchema } from 'typebox';
import { byPath, firstOf, mostFindings, type Finding } from '../contract/findings.ts';
import { checkerOf } from './checks/checker.ts';
import { convertText } from './convert.ts';
import { type ConversionPlan, conversionPlanOf } from './conversion-plan.ts';
import { rename } from './rename.ts';

export type Parsed<T> =
  | { readonly value: T; readonly findings?: undefined }
  | { readonly value?: undefined; readonly findings: readonly Finding[] };

export interface ParseOptions {
  /** Values are text (query string, command line, environment): `"3"` becomes 3 where the schema expects a number. */
  readonly convert?: boolean;
  /**
   * The most findings to report. Default 100. With 0 the reader does not search for the findings: it returns one
   * finding that says that there are some.
   */
  readonly most?: number;
}

/** A compiled reader of values of a schema. */
export interface Compiled<T> {
  readonly schema: TSchema;
  /**
   * Applies canonical spelling (own name, its camelCase, its declared aliases), conversion and defaults, then checks.
   * Returns the value or the findings in order of their path, at most `most`; a last finding gives the number of the
   * rest. Does not change `raw`. Free maps (`Type.Record`) are never renamed inside; unknown fields of open objects
   * are kept as written.
   */
  parse(raw: unknown, options?: ParseOptions): Parsed<T>;
  /** Canonical spelling and defaults without a check, for values that were checked before. */
  fill(raw: unknown): T;
  /** Canonical spelling alone. Findings: two spellings of one field with different values. */
  canonical(raw: unknown): { readonly value: unknown; readonly findings: readonly Finding[] };
}

const compiled = new WeakMap<TSchema, Compiled<unknown>>();

/** Compiles a schema, once per schema object. All interfaces and the configuration read values with this function. */
export function compile<S extends TSchema>(schema: S): Compiled<Static<S>> {
  const known = compiled.get(schema);
  if (known) return known as Compiled<Static<S>>;
  const made = make(schema);
  compiled.set(schema, made);
  return made as Compiled<Static<S>>;
}

function make(schema: TSchema): Compiled<unknown> {
  const plan: ConversionPlan = conversionPlanOf(schema);
  let check: ReturnType<typeof checkerOf> | undefined;
  return {
    schema,
    canonical(raw) {
      const findings: Finding[] = [];
      return { value: rename(plan, raw, '', findings), findings };
    },
    fill: (raw) => fillDefaults(plan, rename(plan, raw, '', [])),
    parse(raw, options = {}) {
      check ??= checkerOf(schema, plan);
      const findings: Finding[] = [];
      let value = rename(plan, raw, '', findings);
      if (options.convert) value = convertText(plan, value);
      value = fillDefaults(plan, value);
      const { most = mostFindings } = options;
      findings.push(...check(value, most));
      if (findings.length === 0) return { value };
      return { findings: firstOf(findings.toSorted(byPath), most) };
    },
  };
}

/**
 * Fills the defaults of absent fields. `value` is a copy made by `rename` and is changed in place. Absent nested
 * objects stay absent unless they have a default.
 */
function fillDefaults(plan: ConversionPlan, value: unknown): unknown {
  if (Array.isArray(value)) {
    const { items } = plan;
    return items && (items.fields || items.items) ? value.map((item) => fillDefaults(items, item)) : value;
  }
  if (typeof value !== 'object' || value === null || !plan.fields) return value;
  const filled = value as Record<string, unknown>;
  for (const [name, fallback] of plan.defaults ?? []) if (filled[name] === undefined) filled[name] = copyOf(fallback);
  for (const [name, field] of plan.fields) {
    if (filled[name] !== undefined && (field.fields || field.items)) filled[name] = fillDefaults(field, filled[name]);
  }
  return filled;
}

const copyOf = (fallback: unknown): unknown => (typeof fallback === 'object' ? structuredClone(fallback) : fallback);
