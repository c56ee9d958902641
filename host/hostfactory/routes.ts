import { readInput } from '../../core/operations/read-input.ts';
import type { Broker } from '../compose.ts';
import { isLocalCall } from '../http/local-call.ts';
import { apiPrefix, jsonType, type RouteParts } from '../rest/bind-operation.ts';
import { callerOf } from '../rest/call/idempotency-key.ts';
import { limitRoute } from '../rest/limits/limit-route.ts';
import { refuseUnderPressure } from '../http/pressure.ts';
import type { LimitGroup } from '../rest/limits/rate-limits.ts';
import { refusalOf } from '../rest/refusal.ts';
import { gradeOf } from './grade.ts';
import { scriptBody } from './script-body.ts';
import { exitCodeHeader, scriptNames, type Dialect, type ScriptBody, type ScriptName } from './client/script-call.ts';
import type { ScriptCall } from './client/script.ts';
import { scripts } from './scripts/index.ts';

/** The rate limit group of each script: that of its operation. */
export const scriptGroups: Readonly<Partial<Record<ScriptName, LimitGroup>>> = {
  getAvailableTemplates: 'template',
  requestMachines: 'request',
  requestReturnMachines: 'request',
  getReturnRequests: 'provider',
  getRequestStatus: 'read',
  getAvailableMachines: 'read',
};

const changingScripts: ReadonlySet<ScriptName> = new Set(['requestMachines', 'requestReturnMachines']);

/** Maximum size of a body in bytes: a scheduler lists all its hosts at once. */
const maxBody = 16 * 1024 * 1024;

const strategies: Readonly<Record<Dialect, string>> = { symphony: 'hostfactory', lsf: 'lsf' };

/**
 * Binds one route per HostFactory script. The body of an answer is the output of the script, a header contains its
 * exit code.
 */
export function bindHostFactoryRoutes({ app, paths, broker, limits }: RouteParts): void {
  for (const name of scriptNames) {
    const url = `${apiPrefix}/hostfactory/${name}`;
    const group = scriptGroups[name];
    paths.add('POST', url, 'detail');
    app.route({
      method: 'POST',
      url,
      bodyLimit: maxBody,
      config: { errors: 'detail', operation: `hostfactory_${name}` },
      onRequest: [
        ...(changingScripts.has(name) ? [refuseUnderPressure(broker.meter.pressure)] : []),
        ...(limits && group ? [limitRoute(limits, group)] : []),
      ],
      async handler(request, reply) {
        const { exit_code, printed } = await run(
          name,
          { ...receivedOf(request), local: isLocalCall(request.raw) },
          broker,
        );
        reply.header('content-type', jsonType).header(exitCodeHeader, String(exit_code));
        return JSON.stringify(printed);
      },
    });
  }
}

interface Received {
  readonly id: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly local: boolean;
}

const receivedOf = ({ id, body, headers }: Omit<Received, 'local'>) => ({ id, body, headers });

async function run(
  name: ScriptName,
  { id, body, headers, local }: Received,
  broker: Broker,
): Promise<{ exit_code: 0 | 1; printed: unknown }> {
  let dialect: Dialect | undefined;
  try {
    const { input, env } = readInput({ input: scriptBody }, body) as ScriptBody;
    dialect = env.dialect;
    const { key } = callerOf(headers['idempotency-key'], `hostfactory ${name}`, { input, env });
    return {
      exit_code: 0,
      printed: await scripts[name](callOf(broker, { input, env }, { local, ...(key ? { key } : {}) })),
    };
  } catch (error) {
    const { code, message } = refusalOf(error);
    if (code === 'INTERNAL') broker.log.error({ err: error, x_request_id: id, script: name }, 'A script failed.');
    // LSF expects a status in the answers of these scripts, also on failure.
    const graded = dialect === 'lsf' && changingScripts.has(name);
    return { exit_code: 1, printed: { message, ...(graded ? { status: gradeOf(error) } : {}) } };
  }
}

function callOf(
  { services, schedulers }: Broker,
  { input, env }: ScriptBody,
  from: Pick<ScriptCall, 'key' | 'local'>,
): ScriptCall {
  const strategy = schedulers.find(({ name }) => name === strategies[env.dialect]);
  if (!strategy) throw new Error(`No loaded plugin contributes the scheduler '${strategies[env.dialect]}'.`);
  const bound = services.providers.instance(env.provider_name ?? '');
  return { input, dialect: env.dialect, services, strategy, ...(bound ? { instance: bound.name } : {}), ...from };
}
