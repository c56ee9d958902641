import type { Finding } from '../contract/findings.ts';
import type { Template } from '../model/template.ts';
import type { TemplateLayer, WrittenKey } from '../contract/scheduler.ts';

export type FileType = 'main' | 'provider_type' | 'provider_instance';

/** The layer of one template in one template file. */
export interface FileLayer extends TemplateLayer {
  /** Relative to the template directory. */
  readonly source_file: string;
  readonly file_type: FileType;
  /** Only of a `provider_type` file. */
  readonly provider_type?: string;
  /** Only of a `provider_instance` file. */
  readonly provider_instance?: string;
}

/** The layers of all template files, least specific first, with the findings about the files. */
export interface LayerSet {
  readonly layers: readonly FileLayer[];
  readonly findings: readonly Finding[];
  /** All files, including broken ones. */
  readonly files: readonly string[];
  /**
   * The files that could not be read; their last readable content stays in use. `all`: the directory could not be
   * read. Default: none.
   */
  readonly broken?: readonly string[] | 'all';
}

/** The origin of a template. */
export interface SourceInfo {
  /** The file, relative to the template directory. */
  readonly source_file: string;
  readonly file_type: FileType | 'api';
  /** 0 for the most specific kind of layer; higher for less specific kinds. */
  readonly priority: number;
  /** Least specific first; fields in canonical spelling. */
  readonly override_chain: readonly { readonly file: string; readonly fields: readonly string[] }[];
}

/** A template merged from all its layers. */
export interface MergedTemplate {
  readonly template: Template;
  readonly source_info: SourceInfo;
  /**
   * When the files of several instances define the template: the template of each of these instances. Only these
   * instances may serve it.
   */
  readonly variants?: ReadonlyMap<string, Template>;
  /** The keys of the files of `template` as they are written. Absent: no file keeps them. */
  readonly as_written?: readonly WrittenKey[];
}

export interface MergeOptions {
  /** The names of the configured instances, preferred first. */
  readonly instances: readonly string[];
  /** Whether the file of a provider type restricts its templates to that type. True when several types are loaded. */
  readonly bind_types: boolean;
  /**
   * The loaded provider types, the primary one first. The name of the primary type is the `provider_api` of a template
   * that names none. Default: no such default.
   */
  readonly types?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const priorities = { api: 0, provider_instance: 0, provider_type: 1, main: 2 } as const;

/**
 * Merges the layers of one template, field by field: main, provider type, provider instance, then the layer written
 * over the API, in which `null` hides a field. The file of an instance binds the template to this instance unless the
 * layer names another one. When several instance files define the template, none of them binds it, and `template` is
 * the one of the preferred instance.
 */
export function mergeLayers(
  template_id: string,
  files: readonly FileLayer[],
  api: Fields | undefined,
  options: MergeOptions,
): MergedTemplate {
  const shared = [
    ...files.filter((layer) => layer.file_type === 'main'),
    ...files.filter((layer) => layer.file_type === 'provider_type'),
  ];
  const own = Map.groupBy(
    files.filter((layer) => layer.file_type === 'provider_instance'),
    (layer) => layer.provider_instance ?? '',
  );
  const instances = [...own.keys()].toSorted(
    (a, b) => rank(options.instances, a) - rank(options.instances, b) || (a < b ? -1 : 1),
  );
  const binds = instances.length === 1;
  const of = (instance: string | undefined): Template =>
    overlay(
      template_id,
      [...shared, ...(instance === undefined ? [] : (own.get(instance) ?? []))],
      api,
      binds,
      options,
    );
  const [preferred] = instances;
  const chain = [...shared, ...(preferred === undefined ? [] : (own.get(preferred) ?? []))];
  const as_written = stillWritten(chain, api);
  return {
    template: of(preferred),
    source_info: sourceInfo(chain, api),
    ...(as_written.length > 0 ? { as_written } : {}),
    ...(instances.length > 1 ? { variants: new Map(instances.map((instance) => [instance, of(instance)])) } : {}),
  };
}

const rank = (names: readonly string[], name: string): number => {
  const place = names.indexOf(name);
  return place < 0 ? names.length : place;
};

function overlay(
  id: string,
  chain: readonly FileLayer[],
  api: Fields | undefined,
  bindInstance: boolean,
  { bind_types, types = [] }: MergeOptions,
): Template {
  const fields: Record<string, unknown> = { template_id: id };
  for (const layer of chain) {
    if (bind_types && layer.provider_type !== undefined) fields['provider_type'] = layer.provider_type;
    if (bindInstance && layer.provider_instance !== undefined) fields['provider_name'] = layer.provider_instance;
    Object.assign(fields, layer.fields);
  }
  for (const [name, value] of Object.entries(api ?? {})) {
    if (value === null) delete fields[name];
    else fields[name] = value;
  }
  fields['template_id'] = id;
  fields['version'] ??= '1.0';
  const ownType = types.find((type) => type === fields['provider_type']) ?? types[0];
  if (ownType !== undefined) fields['provider_api'] ??= ownType;
  return freeze(fields) as Template;
}

function sourceInfo(chain: readonly FileLayer[], api: Fields | undefined): SourceInfo {
  const top = chain.at(-1);
  const file_type = api || !top ? 'api' : top.file_type;
  const fieldsOf = (fields: Fields) => Object.keys(fields).filter((name) => name !== 'template_id');
  return {
    source_file: api || !top ? 'api' : top.source_file,
    file_type,
    priority: priorities[file_type],
    override_chain: [
      ...chain.map((layer) => ({ file: layer.source_file, fields: fieldsOf(layer.fields) })),
      ...(api ? [{ file: 'api', fields: fieldsOf(api) }] : []),
    ],
  };
}

/** All callers share one object, so it must not change. */
function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}

type Layer = Pick<TemplateLayer, 'fields' | 'as_written'>;

/**
 * The keys of files as they are written, least specific first, without keys whose fields a later layer or the layer of
 * the API overrides.
 */
function stillWritten(
  chain: readonly Layer[],
  api: Readonly<Record<string, unknown>> | undefined,
): readonly WrittenKey[] {
  const written = new Map<string, WrittenKey>();
  for (const { fields, as_written = [] } of [...chain, ...(api ? [{ fields: api }] : [])] as readonly Layer[]) {
    for (const [key, { fields: read }] of written)
      if (read.some((field) => Object.hasOwn(fields, field))) written.delete(key);
    // A key that sets no field replaces only another key that sets no field.
    for (const each of as_written) if (each.fields.length > 0 || !written.has(each.key)) written.set(each.key, each);
  }
  return [...written.values()];
}
