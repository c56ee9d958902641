import { Type } from 'typebox';
import { AccountContents } from '../../contract/provider/account-contents.ts';
import { discoveredBy } from '../../providers/discover-now.ts';
import { operation } from '../operation.ts';
import { p } from '../parameters.ts';

export const discoverProvider = operation('DiscoverProviderQuery', {
  summary:
    'Show what templates of a provider instance can name: the networks, subnets, security groups, key pairs and images of its account, as they are now. Takes at most 20 seconds.',
  input: Type.Object({ provider_name: p.provider_instance }, { additionalProperties: false }),
  output: Type.Object({ provider_instance: Type.String(), ...AccountContents.properties }),
  refusals: ['PROVIDER_NOT_FOUND', 'NOT_IMPLEMENTED', 'UNAVAILABLE'],
  rest: { method: 'GET', path: '/providers/{provider_name}/discover', limit: 'provider', errors: 'error' },
  cli: { command: 'providers discover', args: ['provider_name'], example: 'muster providers discover east' },
  needs_loop: true,
  async handle({ provider_name }, { providers, discovering }) {
    const { name, type } = providers.require(provider_name);
    return { provider_instance: name, ...(await discoveredBy(discovering, name, type)) };
  },
});
