import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isBrokerError } from '../../core/contract/errors.ts';
import { isError, type Finding } from '../../core/contract/findings.ts';
import { templateIdPattern } from '../../core/model/template.ts';
import type { ProviderType } from '../../core/contract/provider/provider-type.ts';
import { checkTemplatesRead } from '../../core/providers/answer-checks/check-templates-read.ts';
import type { SchedulerStrategy, TemplateLayer, TemplatesRead } from '../../core/contract/scheduler.ts';
import type { FileLayer, FileType, LayerSet } from '../../core/templates/layers.ts';
import type { TemplateReview } from '../../core/templates/review.ts';
import { inlineFiles } from './inline-files.ts';
import { readBounded } from '../sources/read-bounded.ts';
import { readText, type SourceText } from '../sources/source-text.ts';

export interface TemplateFilesOptions {
  /** Absolute path of the template directory. */
  readonly directory: string;
  readonly types: readonly ProviderType<any, any>[];
  /** Names of the configured provider instances. */
  readonly instances: readonly string[];
  /** The loaded scheduler strategies, in the order of the configuration. */
  readonly strategies: readonly SchedulerStrategy[];
  readonly review: TemplateReview;
}

/** A template file, and the provider type or instance to which it applies. */
export interface TemplateFile {
  readonly name: string;
  readonly file_type: FileType;
  readonly provider_type?: string;
  readonly provider_instance?: string;
}

const extensions = ['json', 'yaml', 'yml'];
/** Maximum size of a template file in bytes: enough for tens of thousands of templates. */
const maxFileSize = 33_554_432;

/**
 * Selects the template files among file names, least specific first: `templates.*`, `<type>_templates.*` (also with
 * the aliases of the type, and in the form of IBM `<alias>prov_templates.*`), `<instance>_templates.*`.
 */
export function templateFilesAmong(
  names: readonly string[],
  { types, instances }: Pick<TemplateFilesOptions, 'types' | 'instances'>,
): TemplateFile[] {
  const there = new Set(names);
  const stems = new Map<string, Omit<TemplateFile, 'name'>>([['templates', { file_type: 'main' }]]);
  const add = (stem: string, what: Omit<TemplateFile, 'name'>) => stems.set(stem, stems.get(stem) ?? what);
  for (const { type, aliases = [] } of types) {
    const what = { file_type: 'provider_type', provider_type: type } as const;
    // The name of a type is more specific than its aliases.
    for (const alias of aliases) for (const stem of [`${alias}prov_templates`, `${alias}_templates`]) add(stem, what);
    for (const stem of [`${type}prov_templates`, `${type}_templates`]) add(stem, what);
  }
  for (const instance of instances)
    add(`${instance}_templates`, { file_type: 'provider_instance', provider_instance: instance });
  return [...stems].flatMap(([stem, what]) =>
    extensions.map((extension) => ({ name: `${stem}.${extension}`, ...what })).filter(({ name }) => there.has(name)),
  );
}

/**
 * Reads every template file with the scheduler strategy that recognizes it. A file that cannot be read or parsed is a
 * finding with line and reason; an invalid template is a finding with its place; all other templates load. A template
 * is left out of all files when one of them names a file that cannot be read: without that file the template would
 * differ. A missing directory gives an empty set with a finding.
 */
export async function readTemplateFiles(options: TemplateFilesOptions): Promise<LayerSet> {
  let names: string[];
  try {
    names = await readdir(options.directory);
  } catch (error) {
    const message = `the template directory cannot be read: ${reasonOf(error)}`;
    return {
      layers: [],
      files: [],
      broken: 'all',
      findings: [{ level: 'error', path: '', file: options.directory, message }],
    };
  }
  const files = templateFilesAmong(names, options);
  const read = await Promise.all(files.map((file) => readTemplateFile(file, options)));
  const broken = files.flatMap(({ name }, index) => (read[index]?.broken ? [name] : []));
  const refused = new Set(read.flatMap((each) => each.refused ?? []));
  const none: Finding = {
    level: 'warning',
    path: '',
    file: options.directory,
    message: 'the template directory holds no template file',
  };
  return {
    layers: read.flatMap(({ layers }) => layers).filter(({ template_id }) => !refused.has(template_id)),
    files: files.map(({ name }) => name),
    ...(broken.length === 0 ? {} : { broken }),
    findings: files.length === 0 ? [none] : read.flatMap(({ findings }) => findings),
  };
}

interface Read {
  readonly layers: readonly FileLayer[];
  readonly findings: readonly Finding[];
  /** Ids of templates that name files which cannot be read. */
  readonly refused?: readonly string[];
  /** The file holds no readable template. */
  readonly broken?: boolean;
}

async function readTemplateFile(
  file: TemplateFile,
  { directory, strategies, review }: TemplateFilesOptions,
): Promise<Read> {
  const path = join(directory, file.name);
  let source: SourceText;
  try {
    const found = await readBounded(path, maxFileSize);
    if ('wrong' in found)
      return {
        layers: [],
        findings: [{ level: 'error', path: '', file: path, message: `it ${found.wrong}` }],
        broken: true,
      };
    source = readText(path, found.bytes.toString());
  } catch (error) {
    return { layers: [], findings: [broken(path, error)], broken: true };
  }
  if (source.value === undefined)
    return { layers: [], findings: [{ level: 'warning', path: '', file: path, message: 'the file is empty' }] };
  let read: TemplatesRead | undefined;
  let dialect = '';
  const failed: Finding[] = [];
  try {
    // Every strategy may read files, not only the active scheduler.
    const readers = strategies.filter((each) => each.readTemplates);
    const isRecognized = (each: SchedulerStrategy): boolean => {
      try {
        return each.recognizes?.(source.value, file.name) === true;
      } catch (error) {
        // A strategy that fails leaves the file to the other strategies.
        const message = `strategy '${each.name}' failed to check whether it recognizes the file: ${reasonOf(error)}`;
        failed.push({ level: 'error', path: '', file: path, message });
        return false;
      }
    };
    const strategy = readers.find(isRecognized) ?? readers.find((each) => !each.recognizes);
    if (strategy) dialect = ` by strategy '${strategy.name}'`;
    read = strategy?.readTemplates?.(source.value, review.canonical);
    if (strategy) checkTemplatesRead(read);
  } catch (error) {
    const message = `the file cannot be read${dialect}: ${reasonOf(error)}`;
    return { layers: [], findings: [...failed, { level: 'error', path: '', file: path, message }], broken: true };
  }
  if (!read)
    return {
      layers: [],
      findings: [
        ...failed,
        { level: 'error', path: '', file: path, message: 'no loaded scheduler strategy recognizes this file' },
      ],
      broken: true,
    };
  const findings: Finding[] = [
    ...failed,
    ...read.findings.map((finding) => ({ ...finding, file: source.place(finding.path) })),
  ];
  const layers: FileLayer[] = [];
  const refused: string[] = [];
  for (const layer of read.layers) {
    const inlined = await inlineFiles(layer.fields, directory);
    const problems = [...idFindings(layer), ...inlined.findings];
    const at = entryPointer(source.value, layer.template_id);
    findings.push(
      ...problems.map((finding) => ({
        ...finding,
        file: source.place(`${at}${finding.path}`),
        message: `template '${layer.template_id}': ${finding.message}`,
      })),
    );
    if (inlined.findings.length > 0) refused.push(layer.template_id);
    if (problems.length > 0) continue;
    const { name, ...what } = file;
    const { template_id, as_written } = layer;
    layers.push({
      template_id,
      fields: inlined.fields,
      ...(as_written ? { as_written } : {}),
      source_file: name,
      ...what,
    });
  }
  // The value of the file is not a list of templates.
  const whole = layers.length === 0 && read.findings.some((finding) => isError(finding) && finding.path === '');
  return { layers, findings, refused, broken: whole };
}

const idFindings = ({ template_id }: TemplateLayer): Finding[] =>
  new RegExp(templateIdPattern).test(template_id)
    ? []
    : [
        {
          level: 'error',
          path: '/template_id',
          message: 'an id is 1 to 128 letters, digits, `-`, `_`, `.`, and begins with a letter or a digit',
        },
      ];

function broken(path: string, error: unknown): Finding {
  if (!isBrokerError(error))
    return { level: 'error', path: '', file: path, message: `the file cannot be read: ${reasonOf(error)}` };
  const { line, column, reason } = error.details;
  return {
    level: 'error',
    path: '',
    file: `${path}:${String(line)}:${String(column)}`,
    message: `the file cannot be parsed: ${String(reason)}`,
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the thrown value is not an Error';
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT'
    ? 'it does not exist'
    : code === 'EACCES'
      ? 'permission denied'
      : code === 'ENOTDIR'
        ? 'it is not a directory'
        : message;
}

/**
 * Returns the JSON pointer of the template with an id in the value of a file, for the field names of all strategies;
 * an empty text when there is none.
 */
function entryPointer(file: unknown, template_id: string): string {
  const lists: readonly (readonly [string, unknown])[] = isObject(file)
    ? ['templates', 'Templates'].map((name) => [`/${name}`, file[name]])
    : [['', file]];
  for (const [pointer, list] of lists) {
    const index = Array.isArray(list)
      ? list.findIndex((entry) => isObject(entry) && ids.some((id) => entry[id] === template_id))
      : -1;
    if (index >= 0) return `${pointer}/${index}`;
  }
  return '';
}

const ids = ['template_id', 'templateId', 'id'];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
