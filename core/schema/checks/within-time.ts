/** Milliseconds that a check of values may take. */
export const mostCheckMs = 100;
/** How often a check begins that got no processor before its time was up. */
const mostTries = 10;

// It is loaded when it is needed, as the compiler of validators is.
const vm = () => process.getBuiltinModule('node:vm');

let script: InstanceType<ReturnType<typeof vm>['Script']> | undefined;
let context: ReturnType<ReturnType<typeof vm>['createContext']> | undefined;

/**
 * Runs code that might not end for hours, and returns its result; undefined when it did not end within 100 ms. It is
 * ended wherever it is, also within a regular expression, so it must change nothing that outlives it. That costs
 * 0.1 ms. On a host that gives the process no time meanwhile it runs again.
 */
export function withinTime<T>(run: () => T): { readonly result: T } | undefined {
  for (let tries = mostTries; tries > 0; tries -= 1) {
    const before = process.threadCpuUsage();
    const ended = inTime(run);
    if (ended) return ended;
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > (mostCheckMs * 1_000) / 2) return undefined;
  }
  return undefined;
}

function inTime<T>(run: () => T): { readonly result: T } | undefined {
  const { Script, createContext } = vm();
  script ??= new Script('run()');
  context ??= createContext({});
  let ended: { readonly result: T } | undefined;
  context['run'] = () => void (ended = { result: run() });
  try {
    script.runInContext(context, { timeout: mostCheckMs });
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null | undefined)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    return undefined;
  } finally {
    context['run'] = undefined;
  }
  return ended;
}
