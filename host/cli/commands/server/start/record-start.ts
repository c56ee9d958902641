import type { LoadedConfiguration } from '../../../../../config/load.ts';
import { runsOnSamples } from '../../../../../config/samples.ts';
import { soundsSecret, userinfoOf } from '../../../../../core/schema/redact.ts';
import { secretsOf } from '../../../../process/secrets.ts';
import { simulatedInstances } from '../../../../data-directory/simulated-instances.ts';
import type { StartRecord } from '../../../../data-directory/start-record.ts';
import { optionsOf, type StartFlags } from './start-flags.ts';

/** Returns the start record of this process. It contains the names, not the values, of variables with secrets. */
export function recordStart(loaded: LoadedConfiguration, flags: StartFlags): StartRecord {
  const secrets = secretsOf(loaded).filter((secret) => secret !== '');
  const isSecret = (name: string, value: string): boolean =>
    soundsSecret(name) || userinfoOf(value) !== undefined || secrets.some((secret) => holds(value, secret));
  const variables = variablesIn(loaded).flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value ? [[name, value]] : [];
  });
  return {
    config: loaded.file ?? null,
    samples: runsOnSamples(loaded),
    simulated: simulatedInstances(loaded.configuration),
    options: optionsOf(flags),
    cwd: process.cwd(),
    env: Object.fromEntries(variables.filter(([name, value]) => !isSecret(name, value))),
    secret_env: variables.filter(([name, value]) => isSecret(name, value)).map(([name]) => name),
    run: runOf(flags),
  };
}

/** Whether a variable contains a secret, plain or JSON-escaped. */
const holds = (value: string, secret: string): boolean =>
  value.includes(secret) || value.includes(JSON.stringify(secret).slice(1, -1));

const variablesIn = ({ origins }: LoadedConfiguration): readonly string[] => [
  ...new Set([...origins.values()].flatMap(({ variable }) => (variable === undefined ? [] : [variable]))),
];

function runOf({ inBackground }: StartFlags): StartRecord['run'] {
  if (inBackground) return 'background';
  const { env, pid, stdin } = process;
  // systemd sets the pid of the process that it started; older versions only mark everything that they run, and a
  // desktop passes that on to its terminals.
  const systemd = env['SYSTEMD_EXEC_PID']
    ? env['SYSTEMD_EXEC_PID'] === String(pid)
    : Boolean(env['INVOCATION_ID']) && !stdin.isTTY;
  // Pid 1 is the whole container; a supervisor that forked this process holds the other end of a channel.
  return systemd || pid === 1 || process.send !== undefined ? 'service' : 'foreground';
}
