import { isObject } from '../../../core/schema/is-object.ts';
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import type { SourceText } from '../../../config/sources/source-text.ts';
import { rename } from '../../../core/schema/rename.ts';
import { conversionPlanOf } from '../../../core/schema/conversion-plan.ts';
import { BrokerError } from '../../../core/contract/errors.ts';
import { declarations, type DeclaredOperation } from './declared-operations.ts';
import { readValueFile } from './read-file.ts';
import { templateFields, UsageError } from './read-texts.ts';

/** Inputs that are whole documents, by operation. Those whose input is a template take it as a whole. */
const documents: Readonly<Record<string, string>> = {
  validate_provider_configuration: 'providers',
  test_provider_selection: 'template',
};

/** What `--file` and `--set` gave. */
export interface FileFlags {
  readonly file?: string;
  readonly set?: readonly string[];
  /** The configuration whose plugins read files of other dialects. */
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
        'One field of the template, over the file; `field.key=value` for one of a map. May be repeated.',
      ).argParser((text: string, earlier: readonly string[] | undefined) => [...(earlier ?? []), text]),
    );
  } else if (document !== undefined) command.option('-f, --file <file>', `The ${document}, as JSON or YAML; \`-\` reads standard input.`);
}

/** The inputs of the calls that the files and the options ask for: one, or one for each template of a file that is only checked. */
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
  const over = { ...templateFields(set, '--set'), ...input };
  if (file === undefined || source === undefined) return [over];
  const templates = (await inAnotherDialect(source, file, config, warn)) ?? templatesIn(value, file);
  const wanted = input['template_id'];
  if (templates.length === 1) return [merged(operation, templates[0] ?? {}, over)];
  const named = templates.find(({ template_id }) => template_id === wanted);
  if (named) return [merged(operation, named, over)];
  if (operation.kind === 'query' && wanted === undefined) return templates.map((template) => merged(operation, template, over));
  const ids = templates.map(({ template_id }) => String(template_id)).join(', ');
  throw new UsageError(`${file} has ${templates.length} templates (${ids}); name one of them`);
}

/** A template may have another id than its file says when it is made, never when it is changed: that would be another one. */
function merged({ name }: DeclaredOperation, template: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const [inFile, named] = [template['template_id'], over['template_id']];
  if (name === 'update_template' && inFile !== undefined && named !== undefined && inFile !== named)
    throw new UsageError(`the file is of the template '${String(inFile)}', not of '${String(named)}'`);
  return { ...template, ...over };
}

/** The templates of a file that is written as a scheduler's provider writes it. Plugins are loaded only for what our own form does not have. */
async function inAnotherDialect(
  source: SourceText,
  name: string,
  config: string | undefined,
  warn: (sentence: string) => void,
): Promise<Record<string, unknown>[] | undefined> {
  const { spellings } = conversionPlanOf(declarations().template);
  const isOurs = (key: string) => key === key.toLowerCase() || spellings?.has(key);
  if (!listIn(source.value).some((each) => isObject(each) && !Object.keys(each).every(isOurs))) return undefined;
  const { foreignTemplates } = await import('../../../config/templates/foreign-templates.ts');
  const options = { cwd: process.cwd(), env: process.env, ...(config === undefined ? {} : { file: config }) };
  const read = await foreignTemplates(source, resolve(name), options);
  for (const sentence of read?.warnings ?? []) warn(sentence);
  return read && [...read.templates];
}

const listIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  const list = isObject(value) ? (value['templates'] ?? value['Templates']) : undefined;
  return Array.isArray(list) ? list : [value];
};

/** The templates of a file, with the common fields in their own spelling. */
function templatesIn(value: unknown, file: string): Record<string, unknown>[] {
  const list = listIn(value);
  const plan = conversionPlanOf(declarations().template);
  return list.map((each) => {
    if (!isObject(each))
      throw new BrokerError('PARSE_ERROR', `${file} holds no template: it must be an object, or a list of them.`, { file });
    // What is spelled twice and differs is for the check of the whole.
    const findings: never[] = [];
    const renamed = rename(plan, each, '', findings) as Record<string, unknown>;
    return findings.length > 0 ? each : renamed;
  });
}
