import { silentLog } from '../../../core/contract/log.ts';
import { serveHttp } from '../../../host/http/serve-http.ts';
import { bootBroker, type BootedBroker, type BootOptions } from '../../support/boot-broker.ts';

export interface Served extends BootedBroker {
  readonly port: number;
}

/**
 * A broker in this process, on a TCP port as a server has it. `server` is laid over its section of the configuration.
 */
export async function serveBroker(
  server: Readonly<Record<string, unknown>> = {},
  options: BootOptions & { readonly socket_path?: string } = {},
): Promise<Served> {
  const booted = await bootBroker({
    storage: 'memory',
    loop: 'none',
    ...options,
    configuration: { ...options.configuration, server: { rate_limit: { enabled: false }, port: 0, ...server } },
  });
  const http = await serveHttp({
    broker: booted.broker,
    log: options.log ?? silentLog,
    socket_path: options.socket_path ?? null,
  });
  return {
    ...booted,
    port: http.address.port,
    async close() {
      await http.close();
      await booted.close();
    },
  };
}
