import { readInput } from './script-input.ts';
import { scriptPlace, type ScriptPlace } from './script-place.ts';
import { exchange, type Answer } from './script-exchange.ts';

/** Maximum time of a script with all its attempts, in milliseconds. */
const longestMs = 60_000;

/**
 * Runs one HostFactory script: reads the input file, calls the server and prints its answer. Loads nothing else, since
 * the scheduler starts a process for every call. Starts a server when none runs. Prints only JSON to standard output
 * and exits with 0 or 1.
 */
export async function runScript(argv: readonly string[]): Promise<never> {
  const { env } = process;
  try {
    const call = readInput(argv, env);
    const answer = await answerTo(call.script, call.body, scriptPlace(env));
    if (answer.exit_code !== 0 || logsDebug(env)) await logAnswer(env, call.script, answer);
    return end(answer);
  } catch (error) {
    const answer = {
      exit_code: 1,
      output: JSON.stringify({ message: error instanceof Error ? error.message : String(error) }),
    } as const;
    await logAnswer(env, String(argv[0]), answer);
    return end(answer);
  }
}

/**
 * Sends the call until there is an answer. A call whose answer was lost may be sent again: the idempotency key ensures
 * that it is executed once.
 */
async function answerTo(script: string, body: string, place: ScriptPlace): Promise<Answer> {
  // Unique among the scripts of one directory; loading a generator of ids would take longer than the call.
  const key = ['script', process.pid, Date.now(), Math.random().toString(36).slice(2)].join('-');
  const deadline = performance.now() + longestMs;
  for (;;) {
    const answer = await exchange(place.data_directory, { script, body, key });
    if (typeof answer !== 'string') return answer;
    if (performance.now() > deadline)
      throw new Error(`The server on ${place.data_directory} does not answer: ${answer}.`);
    const { startServerForScript } = await import('./start-server.ts');
    await startServerForScript(place);
  }
}

const logsDebug = ({ HF_LOGLEVEL = '' }: NodeJS.ProcessEnv): boolean => /debug|trace/i.test(HF_LOGLEVEL);

async function logAnswer(env: NodeJS.ProcessEnv, script: string, answer: Answer): Promise<void> {
  const { logScript } = await import('./script-log.ts');
  logScript(env, script, answer);
}

/**
 * Writes the output synchronously and exits, without creating the stream of standard output. An answer that cannot be
 * written is a failure.
 */
function end({ exit_code, output }: Answer): never {
  const fs = process.getBuiltinModule('node:fs');
  let rest = Buffer.from(`${output}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (error) {
      // The pipe is full and non-blocking: wait for the reader.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  process.exit(exit_code);
}
