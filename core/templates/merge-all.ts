import { isError, type Finding } from '../contract/findings.ts';
import type { TemplateRecord } from '../model/records.ts';
import { mergeLayers, type FileLayer, type LayerSet, type MergedTemplate, type MergeOptions } from './layers.ts';
import type { TemplateReview } from './review.ts';

/** All templates, each merged from its layers. */
export interface AllTemplates {
  /** Sorted by id. */
  readonly merged: ReadonlyMap<string, MergedTemplate>;
  /** The templates that cannot be used, with their errors. */
  readonly invalid: ReadonlyMap<string, readonly Finding[]>;
  /** The findings about files and merged templates. */
  readonly findings: readonly Finding[];
  /** The size of the stored layers in characters of JSON. */
  readonly stored_bytes: number;
  /** The input and result of the merge of each template. */
  readonly made: ReadonlyMap<string, Made>;
}

interface Made {
  readonly files: readonly FileLayer[];
  /** The stored layer as JSON; empty when there is none. */
  readonly stored: string;
  readonly merged: MergedTemplate;
  readonly found: readonly Finding[];
}

export interface MergeAllOptions {
  readonly review: TemplateReview;
  readonly merge: MergeOptions;
}

export const noTemplates: AllTemplates = {
  merged: new Map(),
  invalid: new Map(),
  findings: [],
  stored_bytes: 0,
  made: new Map(),
};

/** Merges and checks the templates that changed since `before`; the other templates keep their objects. Pure. */
export function mergeAll(
  files: LayerSet,
  stored: ReadonlyMap<string, TemplateRecord>,
  options: MergeAllOptions,
  before: AllTemplates,
): AllTemplates {
  const byId = Map.groupBy(files.layers, (layer) => layer.template_id);
  const merged = new Map<string, MergedTemplate>();
  const invalid = new Map<string, readonly Finding[]>();
  const made = new Map<string, Made>();
  const findings: Finding[] = [...files.findings];
  let stored_bytes = 0;
  for (const id of [...new Set([...byId.keys(), ...stored.keys()])].toSorted()) {
    const one = madeOf(id, byId.get(id) ?? [], stored.get(id), options, before.made.get(id));
    made.set(id, one);
    stored_bytes += one.stored.length;
    for (const finding of one.found) findings.push({ ...finding, message: `template '${id}': ${finding.message}` });
    if (one.found.some(isError)) invalid.set(id, one.found.filter(isError));
    else merged.set(id, one.merged);
  }
  return { merged, invalid, findings, stored_bytes, made };
}

function madeOf(
  id: string,
  files: readonly FileLayer[],
  record: TemplateRecord | undefined,
  { review, merge }: MergeAllOptions,
  known: Made | undefined,
): Made {
  const stored = record ? JSON.stringify(record.fields) : '';
  if (known && known.stored === stored && sameLayers(known.files, files)) return known;
  const merged = mergeLayers(id, files, record?.fields, merge);
  return { files, stored, merged, found: reviewed(merged, review) };
}

const sameLayers = (a: readonly FileLayer[], b: readonly FileLayer[]): boolean =>
  a.length === b.length && a.every((layer, i) => layer === b[i]);

function reviewed(merged: MergedTemplate, review: TemplateReview): readonly Finding[] {
  const templates = merged.variants ? [...merged.variants.values()] : [merged.template];
  const found = templates.flatMap((template) => [
    ...review.check(template, 'near'),
    // A missing plugin does not hide the template: selection refuses the template and names the cause.
    ...review.references(template).map((finding): Finding => ({ ...finding, level: 'warning' })),
  ]);
  const unique = new Map(found.map((finding) => [`${finding.path} ${finding.message}`, finding]));
  return [...unique.values()].map((finding) => ({ ...finding, file: merged.source_info.source_file }));
}
