import { ProviderFault, type Call, type Clock, type PluginContext } from '../../core/index.ts';
import { type Clients, type Ec2, makeClients, slowCallMs } from './clients.ts';
import { type CloudConfig, type CloudSettings, settingsOf } from './config.ts';
import { secretsOf } from './credentials.ts';
import { type FaultContext, faultOf } from './faults.ts';
import { patience, type Patience } from './patience.ts';

/** A command of the SDK, as far as we look at it. */
interface SdkCommand {
  readonly middlewareStack: unknown;
  resolveMiddleware(...args: any[]): (...args: any[]) => Promise<{ output: unknown }>;
}
type OutputOf<C extends SdkCommand> =
  Awaited<ReturnType<ReturnType<C['resolveMiddleware']>>> extends { output: infer Output } ? Output : never;

/** One configured instance, connected: everything that its APIs need to speak to the cloud. */
export interface CloudSession {
  readonly instance: string;
  readonly installation: string;
  readonly settings: CloudSettings;
  readonly clock: Clock;
  /** Asks a question. The SDK repeats it as configured. Throws a ProviderFault. */
  read<C extends SdkCommand>(make: (ec2: Ec2) => C, call: Call): Promise<OutputOf<C>>;
  /**
   * Changes the cloud: sent exactly once, after `call.fence()` as close to the wire as the SDK lets us. Throws a ProviderFault, or what the
   * fence threw. `slow`: the call may take as long as starting a thousand machines does.
   */
  write<C extends SdkCommand>(make: (ec2: Ec2) => C, call: Call, options?: { readonly slow?: boolean }): Promise<OutputOf<C>>;
  /** The account that the credentials belong to. Asked once. */
  account(call: Call): Promise<string>;
  readonly patience: Patience;
  /** What was learned of the cloud and does not change: images, subnets, shared launch templates. */
  readonly memory: Map<string, unknown>;
  close(): void;
}

/** Makes the session of one instance. Nothing is imported or called before the first use. */
export function connect(config: CloudConfig, context: PluginContext): CloudSession {
  const settings = settingsOf(config);
  const secrets = secretsOf(settings);
  let clients: Promise<Clients> | undefined;
  let account: Promise<string> | undefined;

  const open = (): Promise<Clients> => {
    const opening = (clients ??= start());
    // A cloud that could not be opened is tried again by the next call.
    opening.catch(() => {
      if (clients === opening) clients = undefined;
    });
    return opening;
  };
  const start = async (): Promise<Clients> => {
    const { endpoint_url } = settings;
    return makeClients(settings, endpoint_url === null ? undefined : await context.endpoint(endpoint_url), context.log);
  };
  const drop = (): void => {
    const old = clients;
    clients = undefined;
    old?.then((each) => each.destroy()).catch(() => undefined);
  };
  const fail = (error: unknown, about: Omit<FaultContext, 'secrets'>): ProviderFault => {
    const fault = faultOf(error, { ...about, secrets });
    // Behind a scheme the address may change, as when the simulated cloud was started anew: ask for it again.
    if (fault.code === 'ECONNREFUSED' && settings.endpoint_url !== null && !/^https?:/.test(settings.endpoint_url)) drop();
    return fault;
  };

  return {
    instance: context.instance,
    installation: context.installation,
    settings,
    clock: context.clock,
    patience: patience(context.clock),
    memory: new Map(),

    async read(make, call) {
      let action = 'opening the cloud';
      try {
        const { ec2, read } = await open();
        const command = make(ec2);
        action = nameOf(command);
        return (await read.send(command as any, { abortSignal: call.signal })) as any;
      } catch (error) {
        throw fail(error, { action, mutating: false });
      }
    },

    async write(make, call, options = {}) {
      let action = 'opening the cloud';
      let sent = false;
      let refused: unknown;
      try {
        const { ec2, write } = await open();
        const command = make(ec2);
        action = nameOf(command);
        const atTheWire = (next: (args: unknown) => Promise<unknown>) => async (args: unknown) => {
          // What is given up before it is sent was certainly not done.
          call.signal.throwIfAborted();
          try {
            call.fence();
          } catch (error) {
            refused = error;
            throw error;
          }
          sent = true;
          return next(args);
        };
        // The last of the last step: behind it is only the connection.
        (command.middlewareStack as any).add(atTheWire, { step: 'deserialize', priority: 'low', name: 'musterFence' });
        const requestTimeout = Math.max(settings.cloud_read_timeout * 1000, options.slow ? slowCallMs : 0);
        return (await write.send(command as any, { abortSignal: call.signal, requestTimeout })) as any;
      } catch (error) {
        if (refused !== undefined) throw refused;
        throw fail(error, { action, mutating: true, sent });
      }
    },

    account(call) {
      const asking = (account ??= askAccount(open, call));
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

async function askAccount(open: () => Promise<Clients>, call: Call): Promise<string> {
  const { sts } = await open();
  const { GetCallerIdentityCommand } = await import('@aws-sdk/client-sts');
  const { Account } = await (await sts()).send(new GetCallerIdentityCommand({}), { abortSignal: call.signal });
  if (!Account) throw new ProviderFault('unavailable', 'GetCallerIdentity named no account.');
  return Account;
}

/** `RunInstances` of a RunInstancesCommand. */
const nameOf = (command: SdkCommand): string => command.constructor.name.replace(/Command$/, '');
