import { readInput } from './script-input.ts';
import { scriptPlace, type ScriptPlace } from './script-place.ts';
import { exchange, type Answer } from './script-exchange.ts';

/** The longest that a script takes, with all that it tries. */
const longestMs = 60_000;

/**
 * One call of a HostFactory script: reads the input file, asks the server, prints its answer. Nothing is loaded here
 * that is not needed for that: the scheduler starts a process for every call. Where no server runs, one is started.
 * Only JSON goes to standard output; it ends with 0 or 1. /
 */
export async function runScript(argv: readonly string[]): Promise<never> {
  const { env } = process;
  try {
    const call = readInput(argv, env);
    const answer = await answerTo(call.script, call.body, scriptPlace(env));
    if (answer.exit_code !== 0 || isTalkative(env)) await tell(env, call.script, answer);
    return end(answer);
  } catch (error) {
    const answer = {
      exit_code: 1,
      output: JSON.stringify({ message: error instanceof Error ? error.message : String(error) }),
    } as const;
    await tell(env, String(argv[0]), answer);
    return end(answer);
  }
}

/** The same call may be sent again when its answer was lost: the key makes sure that it is carried out once. */
async function answerTo(script: string, body: string, place: ScriptPlace): Promise<Answer> {
  // Unique enough for one directory's scripts; a generator of ids would take longer to load than the call takes.
  const key = ['script', process.pid, Date.now(), Math.random().toString(36).slice(2)].join('-');
  const late = performance.now() + longestMs;
  for (;;) {
    const answer = await exchange(place.data_directory, { script, body, key });
    if (typeof answer !== 'string') return answer;
    if (performance.now() > late) throw new Error(`The server on ${place.data_directory} does not answer: ${answer}.`);
    const { startServerForScript } = await import('./start-server.ts');
    await startServerForScript(place);
  }
}

const isTalkative = ({ HF_LOGLEVEL = '' }: NodeJS.ProcessEnv): boolean => /debug|trace/i.test(HF_LOGLEVEL);

async function tell(env: NodeJS.ProcessEnv, script: string, answer: Answer): Promise<void> {
  const { logScript } = await import('./script-log.ts');
  logScript(env, script, answer);
}

/**
 * Writes at once and leaves: the stream of the standard output is never made. An answer that could not be written is a
 * failure, whatever it says.
 */
function end({ exit_code, output }: Answer): never {
  const fs = process.getBuiltinModule('node:fs');
  let rest = Buffer.from(`${output}\n`);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(fs.writeSync(1, rest));
    } catch (error) {
      // A full pipe that does not block: the reader is on its way.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(1);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  process.exit(exit_code);
}
