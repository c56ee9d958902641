import { createRequire } from 'node:module';
import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { EC2Client, EC2ClientConfig } from '@aws-sdk/client-ec2';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { STSClient } from '@aws-sdk/client-sts';
import { ProviderFault, type Log } from '../../../core/index.ts';
import type { CloudSettings } from '../config.ts';
import { callerOf, type Identity } from './credentials.ts';
import { type Credentials, refreshingCredentials } from './refreshing-credentials.ts';
import { readInPieces } from './answers/read-in-pieces.ts';

export type Ec2 = typeof import('@aws-sdk/client-ec2');
export type AutoScaling = typeof import('@aws-sdk/client-auto-scaling');
export type Parameters = typeof import('@aws-sdk/client-ssm');

/** The SDK with its clients for one instance. */
export interface Clients {
  readonly ec2: Ec2;
  /** Asks; repeats by itself. */
  readonly read: EC2Client;
  /** Changes the cloud; sends everything exactly once. */
  readonly write: EC2Client;
  readonly sts: () => Promise<STSClient>;
  /** The same two of Auto Scaling; its SDK is loaded by the first call. */
  readonly groups: () => Promise<ClientsOf<AutoScaling, AutoScalingClient>>;
  /** Those of Systems Manager, which keeps parameters. */
  readonly parameters: () => Promise<ClientsOf<Parameters, SSMClient>>;
  destroy(): void;
}

/** The SDK of a service, with a client that asks and one that changes. */
export interface ClientsOf<Sdk, Client> {
  readonly sdk: Sdk;
  readonly read: Client;
  readonly write: Client;
}

/**
 * Machines are started by the hundred: an answer may take longer than to a question. Every time-out here costs finding
 * out what was done.
 */
export const slowCallMs = 60_000;

/**
 * Loads the SDK and makes the clients. No network; the first call resolves credentials. `heard` is told the date of
 * every answer.
 */
export async function makeClients(
  settings: CloudSettings,
  endpoint: string | undefined,
  log: Log,
  heard: (date: string | undefined) => void,
): Promise<Clients> {
  const ec2 = loadEc2();
  const [{ NodeHttpHandler }, http, https] = await Promise.all([
    import('@smithy/node-http-handler'),
    import('node:http'),
    import('node:https'),
  ]);
  const proxyEnv = proxyOf(settings);
  const readMs = settings.cloud_read_timeout * 1000;
  const handler = (keepAlive: boolean, socketTimeoutMs: number) => {
    const options = { keepAlive, maxSockets: 50, ...(proxyEnv ? { proxyEnv } : {}) };
    const sender = new NodeHttpHandler({
      connectionTimeout: settings.cloud_connect_timeout * 1000,
      requestTimeout: readMs,
      // Without it the time-out only writes a warning.
      throwOnRequestTimeout: true,
      socketTimeout: socketTimeoutMs,
      httpAgent: new http.Agent(options),
      httpsAgent: new https.Agent(options),
    });
    const send = sender.handle.bind(sender);
    sender.handle = async (...call) => {
      const answer = await send(...call);
      heard(answer.response.headers['date']);
      return answer;
    };
    return sender;
  };
  // The SDK logs whole inputs with every failed command, user data included; failures are told as faults.
  const quiet = () => {};
  const logger = {
    debug: quiet,
    info: quiet,
    trace: quiet,
    error: quiet,
    warn: (text: unknown) => typeof text === 'string' && log.warn({}, text),
  };
  const common = { region: settings.region, logger, ...(endpoint === undefined ? {} : { endpoint }) };
  const opened: { destroy(): void }[] = [];
  const open = <C extends { destroy(): void }>(client: C): C => {
    opened.push(client);
    return client;
  };

  const asking = () => ({ maxAttempts: settings.cloud_max_retries + 1, requestHandler: handler(true, readMs) });
  // A kept connection that the other side has just closed looks like a lost answer; a new one for each change cannot.
  const changing = () => ({ maxAttempts: 1, requestHandler: handler(false, Math.max(readMs, slowCallMs)) });
  // Other services than EC2 are where they usually are, unless the endpoint is all of them.
  const { endpoint: ours, ...usual } = common;
  const elsewhere = ours === undefined || isEc2Only(ours) ? usual : common;

  const told = await callerOf(settings);
  // The SDK's own chain, which it tells to its clients only; files that it reads on the way are read, not remembered.
  const chain = () =>
    open(new ec2.EC2Client({ ...common, ...told, ignoreCache: true } as EC2ClientConfig)).config.credentials;
  const caller: Identity =
    told.credentials === undefined ? { ...told, credentials: refreshingCredentials(chain()) } : told;
  const stsFor = async (identity: Identity): Promise<STSClient> => {
    const { STSClient } = await import('@aws-sdk/client-sts');
    return open(new STSClient({ ...elsewhere, ...identity, ...asking() }));
  };
  const identity =
    settings.role_arn === null ? caller : { credentials: assumed(settings.role_arn, () => stsFor(caller)) };
  const client = (more: EC2ClientConfig): EC2Client => {
    const made = open(new ec2.EC2Client({ ...common, ...identity, ...more }));
    // It copies each answer for a log that is not written: a tenth of the time that reading machines takes.
    made.middlewareStack.remove('loggerMiddleware');
    return made;
  };
  const groupsFor = async () => {
    const sdk = await import('@aws-sdk/client-auto-scaling');
    const one = (more: object) => open(new sdk.AutoScalingClient({ ...elsewhere, ...identity, ...more }));
    return { sdk, read: one(asking()), write: one(changing()) };
  };
  const parametersFor = async () => {
    const sdk = await import('@aws-sdk/client-ssm');
    const one = (more: object) => open(new sdk.SSMClient({ ...elsewhere, ...identity, ...more }));
    return { sdk, read: one(asking()), write: one(changing()) };
  };
  let sts: Promise<STSClient> | undefined;
  let groups: ReturnType<typeof groupsFor> | undefined;
  let parameters: ReturnType<typeof parametersFor> | undefined;
  return {
    ec2,
    read: readInPieces(client(asking())),
    write: readInPieces(client(changing())),
    sts: () => (sts ??= stsFor(identity)),
    groups: () => (groups ??= groupsFor()),
    parameters: () => (parameters ??= parametersFor()),
    destroy: () => opened.forEach((each) => each.destroy()),
  };
}

/**
 * Its two megabytes are `require`d: `import` would read them twice more before it runs them, to see whether they are a
 * module and what they export, which takes half as long again as all the rest. /
 */
const loadEc2 = (): Ec2 => createRequire(import.meta.url)('@aws-sdk/client-ec2') as Ec2;

/** Temporary credentials of a role. The SDK calls it again before they expire. */
function assumed(role: string, sts: () => Promise<STSClient>): Credentials {
  let client: Promise<STSClient> | undefined;
  return async () => {
    const { AssumeRoleCommand } = await import('@aws-sdk/client-sts');
    const { Credentials: given } = await (await (client ??= sts())).send(
      new AssumeRoleCommand({ RoleArn: role, RoleSessionName: 'muster' }),
    );
    if (!given?.AccessKeyId || !given.SecretAccessKey)
      throw new ProviderFault('credentials', `Assuming ${role} gave no credentials.`);
    return {
      accessKeyId: given.AccessKeyId,
      secretAccessKey: given.SecretAccessKey,
      ...(given.SessionToken === undefined ? {} : { sessionToken: given.SessionToken }),
      ...(given.Expiration === undefined ? {} : { expiration: given.Expiration }),
    };
  };
}

/** An address of EC2 itself, which does not answer for STS. */
const isEc2Only = (endpoint: string): boolean => /(^|\.)ec2\b.*\.amazonaws\.com/.test(new URL(endpoint).hostname);

function proxyOf({ proxy_host, proxy_port }: CloudSettings): Record<string, string> | undefined {
  if (proxy_host === null) return undefined;
  if (proxy_port === null) throw new ProviderFault('invalid', 'proxy_host needs proxy_port.');
  const url = `http://${proxy_host.replace(/^https?:\/\//, '')}:${proxy_port}`;
  return { HTTP_PROXY: url, HTTPS_PROXY: url };
}
