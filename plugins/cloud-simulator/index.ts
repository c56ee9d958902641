import { definePlugin, type EndpointContext } from '../../core/index.ts';

/**
 * A cloud without a cloud: `endpoint_url: "simulator:"` speaks EC2's own wire protocol from a process beside the data
 * directory. The process is found or started at the first use; everyone on that directory shares it. /
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
