import type { Finding } from '../../core/contract/findings.ts';
import { readScript } from './script-file.ts';
import { readSpecFile } from './spec-file.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Inlined {
  readonly fields: Fields;
  readonly findings: readonly Finding[];
}

/** Fields of native specifications. `<field>_file` names a file with the same content. */
const specs = ['launch_template_spec', 'provider_api_spec'] as const;

/**
 * Replaces the names of files in a template by the contents of the files: a request keeps its template, which must not
 * change with a file. Paths are relative to the template directory.
 */
export async function inlineFiles(fields: Fields, directory: string): Promise<Inlined> {
  const filled: Record<string, unknown> = { ...fields };
  const findings: Finding[] = [];
  const error = (path: string, message: string) => findings.push({ level: 'error', path, message });
  for (const spec of specs) await inlineSpec(spec, filled, directory, error);
  await inlineScript(filled, directory, error);
  return { fields: filled, findings };
}

type AddError = (path: string, message: string) => unknown;

/** An object stays unchanged. A text in the field, or in `<field>_file`, names a file. */
async function inlineSpec(
  spec: (typeof specs)[number],
  filled: Record<string, unknown>,
  directory: string,
  error: AddError,
): Promise<void> {
  const fileField = `${spec}_file`;
  const [field, another] = [spec, fileField].filter((each) => ![undefined, null, ''].includes(filled[each] as null));
  if (another !== undefined) return void error(`/${fileField}`, `${spec} is set too; remove one of the two`);
  const name = filled[field ?? fileField];
  delete filled[fileField];
  if (field === undefined || (field === spec && typeof name !== 'string')) return;
  if (typeof name !== 'string') return void error(`/${field}`, 'must be the name of a file');
  const read = await readSpecFile(directory, name);
  if ('wrong' in read) error(`/${field}`, read.wrong);
  else filled[spec] = read.value;
}

/** Inlines the script of user data. `user_data` takes precedence over `user_data_script`. */
async function inlineScript(filled: Record<string, unknown>, directory: string, error: AddError): Promise<void> {
  const name = filled['user_data_script'];
  if (typeof name !== 'string' || name === '') return;
  delete filled['user_data_script'];
  if (filled['user_data'] !== undefined) return;
  const read = await readScript(directory, name);
  if ('wrong' in read) error('/user_data_script', read.wrong);
  else filled['user_data'] = read.bytes.toString('base64');
}
