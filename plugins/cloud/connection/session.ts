import { ProviderFault, type Call, type Clock, type PluginContext } from '../../../core/index.ts';
import { type AutoScaling, type Clients, type Ec2, makeClients, type Parameters, type Queues } from './clients.ts';
import { cloudClock, type CloudClock } from './cloud-clock.ts';
import { type CloudConfig, type CloudSettings, settingsOf } from '../config.ts';
import { secretsOf } from './credentials.ts';
import { redactedFault } from '../faults/redacted.ts';
import { type CallContext, faultOf } from '../faults/faults.ts';
import { rateLimiter, type RateLimiter, unlimited } from './rate-limiter.ts';
import { consistencyGrace, type ConsistencyGrace } from '../observe/consistency-grace.ts';
import { serviceOf, type Service } from './service.ts';

/** The connection of one configured provider instance: everything that its provider APIs need to call the cloud. */
export interface CloudSession extends Service<Ec2> {
  readonly instance: string;
  readonly installation: string;
  readonly settings: CloudSettings;
  readonly clock: Clock;
  readonly cloudClock: CloudClock;
  /** Auto Scaling, with the same rules as EC2. */
  readonly groups: Service<AutoScaling>;
  /** Systems Manager, for parameters. The first call loads its SDK. */
  readonly parameters: Service<Parameters>;
  /** SQS, for the interruption queue. The first call loads its SDK. */
  readonly queues: Service<Queues>;
  /** The account of the credentials. Loaded once. */
  account(call: Call): Promise<string>;
  readonly consistencyGrace: ConsistencyGrace;
  /** Values of parameters of Systems Manager, each with the name of its parameter. Messages must not show them. */
  readonly parameterValues: Map<string, string>;
  close(): void;
}

/** Creates the session of one instance. No SDK is loaded and no call is sent before the first use. */
export function connect(config: CloudConfig, context: PluginContext): CloudSession {
  const settings = settingsOf(config);
  const secrets = secretsOf(settings);
  const time = cloudClock(context.clock);
  const parameterValues = new Map<string, string>();
  let clients: Promise<Clients> | undefined;
  let account: Promise<string> | undefined;

  const open = (): Promise<Clients> => {
    const opening = (clients ??= start());
    // After a failure the next call opens the cloud again.
    opening.catch(() => {
      if (clients === opening) clients = undefined;
    });
    return opening;
  };
  const start = async (): Promise<Clients> => {
    const { endpoint_url } = settings;
    return makeClients(
      settings,
      endpoint_url === null ? undefined : await context.endpoint(endpoint_url),
      context.log,
      time.adjust,
    );
  };
  const drop = (): void => {
    const old = clients;
    clients = undefined;
    old?.then((each) => each.destroy()).catch(() => undefined);
  };
  const fail = (error: unknown, about: CallContext): ProviderFault => {
    const fault = redactedFault(faultOf(error, { ...about, secrets, instance: context.instance }), parameterValues);
    // The address behind a scheme may change, for example when the simulated cloud was restarted: the next call
    // resolves it again.
    if (fault.code === 'ECONNREFUSED' && settings.endpoint_url !== null && !/^https?:/.test(settings.endpoint_url))
      drop();
    return fault;
  };

  const recorded = async <T>(action: string, ask: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const ended = () => ({ action, ms: performance.now() - began });
    try {
      const answer = await ask();
      context.calls?.record(ended());
      return answer;
    } catch (error) {
      context.calls?.record({ ...ended(), kind: fail(error, { action, mutating: false }).kind });
      throw error;
    }
  };

  const options = {
    readMs: settings.cloud_read_timeout * 1000,
    fail,
    rateLimiter: rateLimiterOf(settings, context.clock),
    laneOf: (action: string) => action,
    ...(context.calls ? { calls: context.calls } : {}),
  };

  return {
    ...serviceOf(async () => {
      const { ec2, read, write } = await open();
      return { sdk: ec2, read, write };
    }, options),
    // Auto Scaling has one rate limit for all its actions.
    groups: serviceOf(async () => (await open()).groups(), { ...options, laneOf: () => 'AutoScaling' }),
    parameters: serviceOf(async () => (await open()).parameters(), options),
    // SQS limits the messages in flight and not the calls.
    queues: serviceOf(async () => (await open()).queues(), { ...options, rateLimiter: unlimited }),
    instance: context.instance,
    installation: context.installation,
    settings,
    clock: context.clock,
    cloudClock: time,
    consistencyGrace: consistencyGrace(context.clock),
    parameterValues,

    account(call) {
      const asking = (account ??= recorded('GetCallerIdentity', () => askAccount(open, call)));
      return asking.catch((error: unknown) => {
        if (account === asking) account = undefined;
        throw fail(error, { action: 'GetCallerIdentity', mutating: false });
      });
    },

    close() {
      drop();
    },
  };
}

/** The rate limiter of the configuration. By default AWS is limited, and another endpoint is not. */
function rateLimiterOf({ rate_limits, endpoint_url }: CloudSettings, clock: Clock): RateLimiter {
  const enabled = rate_limits.enabled ?? endpoint_url === null;
  return enabled ? rateLimiter(clock, rate_limits.buckets) : unlimited;
}

async function askAccount(open: () => Promise<Clients>, call: Call): Promise<string> {
  const { sts } = await open();
  const { GetCallerIdentityCommand } = await import('@aws-sdk/client-sts');
  const { Account } = await (await sts()).send(new GetCallerIdentityCommand({}), { abortSignal: call.signal });
  if (!Account) throw new ProviderFault('unavailable', 'GetCallerIdentity returned no account.');
  return Account;
}
