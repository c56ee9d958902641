import { createRequire } from 'node:module';
import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { EC2Client, EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { IAMClient } from '@aws-sdk/client-iam';
import type { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { STSClient } from '@aws-sdk/client-sts';
import { ProviderFault, type Log } from '../../../core/index.ts';
import type { CloudSettings } from '../config.ts';
import type { CredentialWatch } from './credentials/credential-watch.ts';
import { callerOf, type Identity } from './credentials/credentials.ts';
import { refreshingCredentials } from './credentials/refreshing-credentials.ts';
import { roleCredentials } from './credentials/role-credentials.ts';
import type { ServiceName } from './endpoints.ts';
import { fenced } from './fenced-connections.ts';
import type { SharedSkew } from './shared-skew.ts';
import { readInPieces } from './answers/read-in-pieces.ts';

export type Ec2 = typeof import('@aws-sdk/client-ec2');
export type AutoScaling = typeof import('@aws-sdk/client-auto-scaling');
export type Roles = typeof import('@aws-sdk/client-iam');
export type Quotas = typeof import('@aws-sdk/client-service-quotas');
export type Queues = typeof import('@aws-sdk/client-sqs');
export type Parameters = typeof import('@aws-sdk/client-ssm');

/** The SDK with its clients for one instance. */
export interface Clients {
  readonly ec2: Ec2;
  /** For calls that read. The client repeats them. */
  readonly read: EC2Client;
  /** For calls that change the cloud. The client sends each exactly once. */
  readonly write: EC2Client;
  readonly sts: () => Promise<STSClient>;
  /** The two clients of Auto Scaling. The first call loads the SDK. */
  readonly groups: () => Promise<ClientsOf<AutoScaling, AutoScalingClient>>;
  /** The two clients of Systems Manager, which stores parameters. */
  readonly parameters: () => Promise<ClientsOf<Parameters, SSMClient>>;
  /** The two clients of SQS. A read waits for messages. */
  readonly queues: () => Promise<ClientsOf<Queues, SQSClient>>;
  /** The two clients of IAM. */
  readonly roles: () => Promise<ClientsOf<Roles, IAMClient>>;
  /** The two clients of Service Quotas. */
  readonly quotas: () => Promise<ClientsOf<Quotas, ServiceQuotasClient>>;
  destroy(): void;
}

/** The SDK of a service, with a client for reads and a client for changes. */
export interface ClientsOf<Sdk, Client> {
  readonly sdk: Sdk;
  readonly read: Client;
  readonly write: Client;
}

/**
 * The time-out of calls that start up to a thousand machines. After a time-out the broker has to find out what the
 * call did, so that this time-out is long.
 */
export const slowCallMs = 60_000;
/** The time-out of a call that waits up to 20 s for a message. */
const longPollMs = 28_000;

/** What the clients of a session need beside its settings. */
export interface ClientParts {
  /** The endpoints that replace the public ones. */
  readonly endpoints: Readonly<Partial<Record<ServiceName, string>>>;
  readonly log: Log;
  readonly skew: SharedSkew;
  readonly credentialWatch: Pick<CredentialWatch, 'follow'>;
  /** Gets the `Date` header of every answer. */
  onDate(date: string | undefined): void;
}

/** Loads the SDK and creates the clients, without network access. The first call resolves the credentials. */
export async function makeClients(
  settings: CloudSettings,
  { endpoints, log, skew, credentialWatch, onDate }: ClientParts,
): Promise<Clients> {
  const ec2 = loadEc2();
  const [{ NodeHttpHandler }, http, https] = await Promise.all([
    import('@smithy/node-http-handler'),
    import('node:http'),
    import('node:https'),
  ]);
  const proxyEnv = proxyOf(settings);
  const readMs = settings.cloud_read_timeout * 1000;
  const connectMs = settings.cloud_connect_timeout * 1000;
  // The call gives up first: its error names the cause.
  const connect_ms = connectMs + 1_000;
  const viaProxy = proxyEnv ? { proxyEnv } : {};
  // A socket is in use until its answer was read, and lists are read in turns. The time-out of a call that waits for a
  // socket runs already.
  const reused = () => {
    const options = { keepAlive: true, maxSockets: 200, ...viaProxy };
    return { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
  };
  const fencedEach = () => ({
    httpAgent: fenced(new http.Agent(viaProxy), { connect_ms, tunnels: false }),
    httpsAgent: fenced(new https.Agent(viaProxy), { connect_ms, tunnels: proxyEnv !== undefined }),
  });
  const handler = (agents: ReturnType<typeof reused>, socketTimeoutMs: number, requestTimeoutMs = readMs) => {
    const sender = new NodeHttpHandler({
      connectionTimeout: connectMs,
      requestTimeout: requestTimeoutMs,
      // Without this option a time-out only writes a warning.
      throwOnRequestTimeout: true,
      socketTimeout: socketTimeoutMs,
      ...agents,
    });
    const send = sender.handle.bind(sender);
    sender.handle = async (...call) => {
      const answer = await send(...call);
      onDate(answer.response.headers['date']);
      return answer;
    };
    return sender;
  };
  // The SDK logs the whole input of each failed command, including user data. The broker reports failures as faults.
  const quiet = () => {};
  const logger = {
    debug: quiet,
    info: quiet,
    trace: quiet,
    error: quiet,
    warn: (text: unknown) => typeof text === 'string' && log.warn({}, text),
  };
  const commonTo = (service: ServiceName) => ({
    region: settings.region,
    logger,
    ...(endpoints[service] === undefined ? {} : { endpoint: endpoints[service] }),
  });
  const opened: { destroy(): void }[] = [];
  const open = <C extends { destroy(): void; readonly config: object }>(client: C): C => {
    opened.push(client);
    return skew.share(client);
  };

  const readOptions = () => ({
    maxAttempts: settings.cloud_max_retries + 1,
    requestHandler: handler(reused(), readMs),
  });
  // A reused connection that the server has just closed looks like a lost answer. Each change opens a new connection,
  // which cannot look so.
  const writeOptions = () => ({ maxAttempts: 1, requestHandler: handler(fencedEach(), Math.max(readMs, slowCallMs)) });
  // Of a role only the credentials that it gives are of interest.
  const follow: CredentialWatch['follow'] = settings.role_arn === null ? credentialWatch.follow : (own) => own;
  const configured = await callerOf(settings, follow);
  // The default credential chain, which the SDK exposes only through a client. `ignoreCache` makes it read its files
  // each time.
  const chain = () =>
    open(new ec2.EC2Client({ ...commonTo('ec2'), ...configured, ignoreCache: true } as EC2ClientConfig)).config
      .credentials;
  const caller: Identity =
    configured.credentials === undefined
      ? { ...configured, credentials: refreshingCredentials(follow(chain())) }
      : configured;
  const stsFor = async (identity: Identity): Promise<STSClient> => {
    const { STSClient } = await import('@aws-sdk/client-sts');
    return open(new STSClient({ ...commonTo('sts'), ...identity, ...readOptions() }));
  };
  const identity =
    settings.role_arn === null
      ? caller
      : {
          credentials: credentialWatch.follow(roleCredentials(settings.role_arn, settings, () => stsFor(caller))),
        };
  const client = (more: EC2ClientConfig): EC2Client => {
    const made = open(new ec2.EC2Client({ ...commonTo('ec2'), ...identity, ...more }));
    // This middleware copies each answer for a log that is not written, which takes a tenth of the time to parse
    // machines.
    made.middlewareStack.remove('loggerMiddleware');
    return made;
  };
  const groupsFor = async () => {
    const sdk = await import('@aws-sdk/client-auto-scaling');
    const one = (more: object) =>
      open(new sdk.AutoScalingClient({ ...commonTo('autoscaling'), ...identity, ...more }));
    return { sdk, read: one(readOptions()), write: one(writeOptions()) };
  };
  const parametersFor = async () => {
    const sdk = await import('@aws-sdk/client-ssm');
    const one = (more: object) => open(new sdk.SSMClient({ ...commonTo('ssm'), ...identity, ...more }));
    return { sdk, read: one(readOptions()), write: one(writeOptions()) };
  };
  const rolesFor = async () => {
    const sdk = await import('@aws-sdk/client-iam');
    const one = (more: object) => open(new sdk.IAMClient({ ...commonTo('iam'), ...identity, ...more }));
    return { sdk, read: one(readOptions()), write: one(writeOptions()) };
  };
  const quotasFor = async () => {
    const sdk = await import('@aws-sdk/client-service-quotas');
    const one = (more: object) =>
      open(new sdk.ServiceQuotasClient({ ...commonTo('servicequotas'), ...identity, ...more }));
    return { sdk, read: one(readOptions()), write: one(writeOptions()) };
  };
  const queuesFor = async () => {
    const sdk = await import('@aws-sdk/client-sqs');
    // The URL of a queue names its endpoint and its region, unless the configured endpoint serves all services.
    const common = commonTo('sqs');
    const useQueueUrlAsEndpoint = !('endpoint' in common);
    const [, region] = /^https:\/\/sqs\.([a-z0-9-]+)\./.exec(settings.interruption_queue.url ?? '') ?? [];
    const about = { ...common, ...(useQueueUrlAsEndpoint && region ? { region } : {}), useQueueUrlAsEndpoint };
    const one = (more: object) => open(new sdk.SQSClient({ ...about, ...identity, ...more }));
    const waiting = { maxAttempts: 1, requestHandler: handler(reused(), longPollMs, longPollMs) };
    return { sdk, read: one(waiting), write: one(writeOptions()) };
  };
  let sts: Promise<STSClient> | undefined;
  let groups: ReturnType<typeof groupsFor> | undefined;
  let parameters: ReturnType<typeof parametersFor> | undefined;
  let queues: ReturnType<typeof queuesFor> | undefined;
  let roles: ReturnType<typeof rolesFor> | undefined;
  let quotas: ReturnType<typeof quotasFor> | undefined;
  return {
    ec2,
    read: readInPieces(client(readOptions())),
    write: readInPieces(client(writeOptions())),
    sts: () => (sts ??= stsFor(identity)),
    groups: () => (groups ??= groupsFor()),
    parameters: () => (parameters ??= parametersFor()),
    queues: () => (queues ??= queuesFor()),
    roles: () => (roles ??= rolesFor()),
    quotas: () => (quotas ??= quotasFor()),
    destroy: () => opened.forEach((each) => each.destroy()),
  };
}

/**
 * Loads the EC2 SDK with `require`. `import` would parse its two megabytes twice more to detect the module type and
 * its exports, which takes half as long as the rest of the load.
 */
const loadEc2 = (): Ec2 => createRequire(import.meta.url)('@aws-sdk/client-ec2') as Ec2;

function proxyOf({ proxy_host, proxy_port }: CloudSettings): Record<string, string> | undefined {
  if (proxy_host === null) return undefined;
  if (proxy_port === null) throw new ProviderFault('invalid', 'proxy_host needs proxy_port. Set proxy_port.');
  const url = `http://${proxy_host.replace(/^https?:\/\//, '')}:${proxy_port}`;
  return { HTTP_PROXY: url, HTTPS_PROXY: url };
}
