import { isObject } from '../../../core/schema/is-object.ts';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { SourceText } from '../../../config/sources/source-text.ts';
import { rename } from '../../../core/schema/rename.ts';
import { conversionPlanOf } from '../../../core/schema/conversion-plan.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import { declarations, type DeclaredOperation } from './declared-operations.ts';
import { readValueFile } from './read-value-file.ts';
import { templateFields, UsageError } from './read-texts.ts';

/**
 * Inputs that are whole documents, by operation. Operations whose input is a template accept the template as a
 * document.
 */
const documents: Readonly<Record<string, string>> = {
  validate_provider_configuration: 'providers',
  test_provider_selection: 'template',
};

/** The values of `--file` and `--set`. */
export interface FileFlags {
  readonly file?: string;
  readonly set?: readonly string[];
  /** The configuration whose plugins read template files in other formats. */
  readonly config?: string;
}

const isTemplate = ({ input }: DeclaredOperation): boolean => input.additionalProperties === true;

export function addFileInputs(command: Command, operation: DeclaredOperation): void {
  const document = documents[operation.name];
  if (isTemplate(operation)) {
    command.option('-f, --file <file>', 'The template, as JSON or YAML; `-` reads standard input.');
    command.addOption(
      new Option(
        '--set <field=value>',
        'A field of the template that overrides the file; `field.key=value` sets an entry of a map. Repeatable.',
      ).argParser((text: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), text]),
    );
  } else if (document !== undefined)
    command.option('-f, --file <file>', `The ${document}, as JSON or YAML; \`-\` reads standard input.`);
}

/**
 * Returns the inputs of the calls: one, or one for each template of a file when the operation only checks templates.
 */
export async function withFile(
  operation: DeclaredOperation,
  input: Record<string, unknown>,
  { file, set = [], config }: FileFlags,
  warn: (sentence: string) => void = () => {},
): Promise<Record<string, unknown>[]> {
  const source = file === undefined ? undefined : await readValueFile(file);
  const value = source?.value;
  if (!isTemplate(operation)) {
    const document = documents[operation.name];
    if (document === undefined || value === undefined) return [input];
    return [{ [document]: isObject(value) && document in value ? value[document] : value, ...input }];
  }
  const overrides = { ...templateFields(set, '--set'), ...input };
  if (file === undefined || source === undefined) return [overrides];
  const templates = (await readForeignFormat(source, file, config, warn)) ?? templatesIn(value, file);
  const selected = input['template_id'];
  if (templates.length === 1) return [merged(operation, templates[0] ?? {}, overrides)];
  const named = templates.find(({ template_id }) => template_id === selected);
  if (named) return [merged(operation, named, overrides)];
  if (operation.kind === 'query' && selected === undefined)
    return templates.map((template) => merged(operation, template, overrides));
  const ids = templates.map(({ template_id }) => String(template_id)).join(', ');
  throw new UsageError(`${file} has ${templates.length} templates (${ids}); pass the id of one of them`);
}

/**
 * Merges options over the template of a file. A new template may have another id than in the file; an update must not,
 * since it would change another template.
 */
function merged(
  { name }: DeclaredOperation,
  template: Record<string, unknown>,
  overrides: Record<string, unknown>,
): Record<string, unknown> {
  const [inFile, named] = [template['template_id'], overrides['template_id']];
  if (name === 'update_template' && inFile !== undefined && named !== undefined && inFile !== named)
    throw new UsageError(`the file contains the template '${String(inFile)}', not '${String(named)}'`);
  return { ...template, ...overrides };
}

/**
 * Reads the templates of a file in the format of a scheduler's provider. Loads plugins only for fields that muster's
 * own format does not have.
 */
async function readForeignFormat(
  source: SourceText,
  name: string,
  config: string | undefined,
  warn: (sentence: string) => void,
): Promise<Record<string, unknown>[] | undefined> {
  const { spellings } = conversionPlanOf(declarations().template);
  const isOwnField = (key: string) => key === key.toLowerCase() || spellings?.has(key);
  if (!listIn(source.value).some((each) => isObject(each) && !Object.keys(each).every(isOwnField))) return undefined;
  const { convertTemplates } = await import('../../../config/templates/convert-templates.ts');
  const options = { cwd: process.cwd(), env: process.env, ...(config === undefined ? {} : { file: config }) };
  const read = await convertTemplates(source, resolve(name), options);
  for (const sentence of read?.warnings ?? []) warn(sentence);
  return read && [...read.templates];
}

const listIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  const list = isObject(value) ? (value['templates'] ?? value['Templates']) : undefined;
  return Array.isArray(list) ? list : [value];
};

/** Returns the templates of a file, with the common fields in canonical spelling. */
function templatesIn(value: unknown, file: string): Record<string, unknown>[] {
  const list = listIn(value);
  const plan = conversionPlanOf(declarations().template);
  return list.map((each) => {
    if (!isObject(each))
      throw new BrokerError(
        'PARSE_ERROR',
        `${file} contains no template: it must be an object or a list of objects.`,
        { file },
      );
    // The operation reports a field with two spellings and different values.
    const findings: never[] = [];
    const renamed = rename(plan, each, '', findings) as Record<string, unknown>;
    return findings.length > 0 ? each : renamed;
  });
}
