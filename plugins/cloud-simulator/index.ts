import { definePlugin, type EndpointContext } from '../../core/index.ts';

/**
 * A simulated cloud: `endpoint_url: "simulator:"` connects to a local process that speaks the wire protocol of EC2.
 * The process is found or started at the first use; all brokers of a data directory share it.
 */
export default definePlugin({
  name: 'cloud-simulator',
  contract: 1,
  requires: ['cloud'],
  endpoints: [
    {
      scheme: 'simulator',
      async open(_rest: string, context: EndpointContext) {
        const { openSimulator } = await import('./server/open.ts');
        return openSimulator(context.data_directory, { log: context.log });
      },
    },
  ],
});
