/** Where a template comes from, as the broker tells it. */
interface Source {
  readonly override_chain: readonly { readonly file: string; readonly fields: readonly string[] }[];
}

export interface Layer {
  readonly file: string;
  readonly fields: readonly string[];
  /** Its fields that a later layer sets too. */
  readonly overridden: ReadonlySet<string>;
}

/** The layers of a template, the least specific first. */
export function layersOf(source: unknown): readonly Layer[] {
  const { override_chain = [] } = (source ?? {}) as Partial<Source>;
  return override_chain.map(({ file, fields }, index) => {
    const later = new Set(override_chain.slice(index + 1).flatMap((layer) => layer.fields));
    return { file, fields, overridden: new Set(fields.filter((field) => later.has(field))) };
  });
}

/** The layer that sets a field; a field of no layer has its default. */
export const originOf = (field: string, layers: readonly Layer[]): string =>
  layers.findLast(({ fields }) => fields.includes(field))?.file ?? (field === 'template_id' ? '' : 'default');
