import { ProviderFault, type Call, type Clock, type PluginContext, type ProviderState } from '../../../core/index.ts';
import {
  type AutoScaling,
  type Clients,
  type Ec2,
  makeClients,
  type Parameters,
  type Queues,
  type Quotas,
  type Roles,
} from './clients.ts';
import { cloudClock, type CloudClock } from './cloud-clock.ts';
import { type CloudConfig, type CloudSettings, settingsOf } from '../config.ts';
import { credentialWatch } from './credentials/credential-watch.ts';
import { secretsOf } from './credentials/credentials.ts';
import { missingProfile } from './credentials/missing-profile.ts';
import { callsAws, endpointOf, type ServiceName } from './endpoints.ts';
import { encodedMessageIn } from '../faults/encoded-message.ts';
import { redactedFault } from '../faults/redacted.ts';
import { type CallContext, faultOf } from '../faults/faults.ts';
import { unlimited } from './rates/rate-limiter.ts';
import { sharedLimiter } from './rates/shared-limiter.ts';
import { sharedSkew } from './shared-skew.ts';
import { consistencyGrace, type ConsistencyGrace } from '../observe/consistency-grace.ts';
import { serviceOf, type Service } from './service.ts';

/**
 * The connection of one configured provider instance: everything that its provider APIs need to call the cloud. Of
 * each machine in answers of `DescribeInstances` and `DescribeInstanceStatus` they get only the properties that muster
 * uses: `InstanceSummary` and `StatusSummary`. What several machines share of them, such as the state, is frozen.
 */
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
  /** IAM and Service Quotas, for checks. The first call of each loads its SDK. */
  readonly roles: Service<Roles>;
  readonly quotas: Service<Quotas>;
  /** The account of the credentials. Loaded once. */
  account(call: Call): Promise<string>;
  /** The partition of the account, as ARNs name it: `aws`, `aws-cn`, `aws-us-gov`, `aws-iso`, `aws-eusc` … */
  partition(call: Call): Promise<string>;
  /** Logs the encoded authorization messages in texts of the cloud whole, each once. */
  logEncoded(action: string, texts: readonly (string | undefined)[]): void;
  readonly consistencyGrace: ConsistencyGrace;
  /** Values of parameters of Systems Manager, each with the name of its parameter. Messages must not show them. */
  readonly parameterValues: Map<string, string>;
  /** Its rates and its credentials. */
  state(): ProviderState;
  close(): void;
}

/** The most encoded messages that are remembered, so that each is logged once. */
const maxLogged = 100;

/** Creates the session of one instance. No SDK is loaded and no call is sent before the first use. */
export function connect(config: CloudConfig, context: PluginContext): CloudSession {
  const settings = settingsOf(config);
  const secrets = secretsOf(settings);
  const time = cloudClock(context.clock);
  const parameterValues = new Map<string, string>();
  let clients: Promise<Clients> | undefined;
  const skew = sharedSkew();
  const credentials = credentialWatch(settings);
  const logged = new Set<string>();
  const { rate_limits } = settings;
  // By default AWS is limited, and another endpoint is not.
  const limiter =
    (rate_limits.enabled ?? callsAws(settings)) ? sharedLimiter(context, rate_limits.buckets) : undefined;
  let caller: Promise<CallerIdentity> | undefined;

  const open = (): Promise<Clients> => {
    const opening = (clients ??= start());
    // After a failure the next call opens the cloud again.
    opening.catch(() => {
      if (clients === opening) clients = undefined;
    });
    return opening;
  };
  const start = async (): Promise<Clients> => {
    const endpoints: Partial<Record<ServiceName, string>> = {};
    const resolved = new Map<string, string>();
    for (const service of Object.keys(settings.endpoints) as ServiceName[]) {
      const configured = endpointOf(settings, service);
      if (configured === undefined) continue;
      const url = resolved.get(configured) ?? (await context.endpoint(configured));
      resolved.set(configured, url);
      endpoints[service] = url;
    }
    return makeClients(settings, {
      endpoints,
      log: context.log,
      skew,
      credentialWatch: credentials,
      onDate: time.adjust,
    });
  };
  const drop = (): void => {
    const old = clients;
    clients = undefined;
    old?.then((each) => each.destroy()).catch(() => undefined);
  };
  const logEncoded = (action: string, texts: readonly (string | undefined)[]): void => {
    for (const text of texts) {
      const encoded = encodedMessageIn(text);
      if (encoded === undefined || logged.has(encoded)) continue;
      if (logged.size >= maxLogged) logged.clear();
      logged.add(encoded);
      context.log.warn(
        { provider_instance: context.instance, action, encoded_message: encoded },
        `${action}: AWS denied a permission. To read why, run: aws sts decode-authorization-message --encoded-message with the encoded_message of this line.`,
      );
    }
  };
  const fail = (error: unknown, about: CallContext): ProviderFault => {
    if (error instanceof Error) logEncoded(about.action, [error.message]);
    const found = faultOf(missingProfile(error, settings) ?? error, { ...about, secrets, instance: context.instance });
    const fault = redactedFault(found, parameterValues);
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
      const { kind, code } = fail(error, { action, mutating: false });
      context.calls?.record({ ...ended(), kind, code });
      throw error;
    }
  };

  const options = {
    readMs: settings.cloud_read_timeout * 1000,
    fail,
    rateLimiter: limiter ?? unlimited,
    skewMs: () => skew.ms,
    ...(context.calls ? { calls: context.calls } : {}),
  };

  const identify = (call: Call): Promise<CallerIdentity> => {
    const asking = (caller ??= recorded('GetCallerIdentity', () => askIdentity(open, call)));
    return asking.then(
      (found) => {
        limiter?.join([found.account, settings.region, endpointOf(settings, 'ec2') ?? ''].join('|'));
        return found;
      },
      (error: unknown) => {
        if (caller === asking) caller = undefined;
        throw fail(error, { action: 'GetCallerIdentity', mutating: false });
      },
    );
  };

  return {
    ...serviceOf(async () => {
      const { ec2, read, write } = await open();
      return { sdk: ec2, read, write };
    }, options),
    // Auto Scaling has one rate limit for all its actions.
    groups: serviceOf(async () => (await open()).groups(), { ...options, lane: 'AutoScaling' }),
    parameters: serviceOf(async () => (await open()).parameters(), options),
    roles: serviceOf(async () => (await open()).roles(), options),
    quotas: serviceOf(async () => (await open()).quotas(), options),
    // SQS limits the messages in flight and not the calls.
    queues: serviceOf(async () => (await open()).queues(), { ...options, rateLimiter: unlimited }),
    instance: context.instance,
    installation: context.installation,
    settings,
    clock: context.clock,
    cloudClock: time,
    consistencyGrace: consistencyGrace(context.clock),
    parameterValues,

    account: async (call) => (await identify(call)).account,
    partition: async (call) => (await identify(call)).partition,
    logEncoded,

    state: () => ({ rates: limiter?.state() ?? [], credentials: credentials.state() }),

    close() {
      limiter?.leave();
      drop();
    },
  };
}

interface CallerIdentity {
  readonly account: string;
  readonly partition: string;
}

/** The ARN of the caller shows the partition; the name of a region need not. */
async function askIdentity(open: () => Promise<Clients>, call: Call): Promise<CallerIdentity> {
  const { sts } = await open();
  const { GetCallerIdentityCommand } = await import('@aws-sdk/client-sts');
  const { Account, Arn } = await (await sts()).send(new GetCallerIdentityCommand({}), { abortSignal: call.signal });
  if (!Account) throw new ProviderFault('unavailable', 'GetCallerIdentity returned no account.');
  return { account: Account, partition: Arn?.split(':')[1] || 'aws' };
}
