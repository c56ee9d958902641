import { dialects, isScriptName, scriptNames, type Dialect, type ScriptBody, type ScriptName } from './script-call.ts';

export interface ReadCall {
  readonly script: ScriptName;
  /** JSON of a ScriptBody. */
  readonly body: string;
}

/** These ask for everything: without a file, or with an empty one, they mean the same. */
const needNoInput: ReadonlySet<ScriptName> = new Set(['getAvailableTemplates', 'getAvailableMachines']);

/**
 * Reads what a script was called with: `SCRIPT [--dialect D] -f FILE`. Throws with the sentence that the script
 * prints.
 */
export function readInput(argv: readonly string[], env: NodeJS.ProcessEnv): ReadCall {
  const [script, ...args] = argv;
  if (!isScriptName(script)) throw new Error(`There is no script '${script}'; there are ${scriptNames.join(', ')}.`);
  let file: string | undefined;
  let dialect: Dialect = 'symphony';
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--dialect') dialect = dialectOf(args[++at]);
    else if (arg === '-f' || arg === '--file') file = args[++at];
    // Options of other plug-ins' runtimes, as `scriptOption` may carry them, mean nothing here.
    else if (!arg.startsWith('-')) file ??= arg;
  }
  const text = file === undefined ? noFile(script) : read(script, file);
  const name = env['HF_PROVIDER_NAME'] || env['PROVIDER_NAME'];
  const about: ScriptBody['env'] = { dialect, ...(name ? { provider_name: name } : {}) };
  return { script, body: `{"input":${text},"env":${JSON.stringify(about)}}` };
}

function dialectOf(given: string | undefined): Dialect {
  const found = dialects.find((each) => each === given);
  if (found) return found;
  throw new Error(`There is no dialect '${given}'; there are ${dialects.join(' and ')}.`);
}

function noFile(script: ScriptName): string {
  if (needNoInput.has(script)) return '{}';
  throw new Error(`Invalid input file. Name one: ${script} -f FILE`);
}

function read(script: ScriptName, file: string): string {
  const text = contentOf(file).replace(/^\uFEFF/, '');
  if (text.trim() === '' && needNoInput.has(script)) return '{}';
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    const reason =
      text.trim() === '' ? 'it is empty' : String((error as Error).message).replace(/, ?(\.\.\.)?".*$/s, '');
    throw new Error(`Invalid input file. ${file} is not JSON: ${reason}.`, { cause: error });
  }
}

function contentOf(file: string): string {
  try {
    return process.getBuiltinModule('node:fs').readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`Invalid input file. ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`, {
      cause: error,
    });
  }
}
