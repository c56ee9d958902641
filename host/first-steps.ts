import type { Broker } from './compose.ts';
import { thisPackage } from './package.ts';

/** What a newcomer sees at the start: where the server is, and three calls that work. */
export function firstSteps({ configuration, services }: Broker, url: string): string {
  const [first] = services.templates.list({ limit: 1 }).items;
  const id = first?.template.template_id ?? 'TEMPLATE_ID';
  const asHostFactory = configuration.scheduler === 'hostfactory';
  const body = asHostFactory ? { templateId: id, machineCount: 3 } : { template_id: id, machine_count: 3 };
  const api = `${url}/api/v1`;
  return [
    `${thisPackage.name} ${thisPackage.version} answers at ${url} (scheduler ${configuration.scheduler}, providers ${providersOf(configuration.providers)}).`,
    first ? 'Try:' : 'There are no templates yet; once there are, try:',
    `  curl -s ${api}/templates/`,
    `  curl -s ${api}/machines/request -H 'content-type: application/json' -d '${JSON.stringify(body)}'`,
    `  curl -s ${api}/requests/REQUEST_ID/status     # with the ${asHostFactory ? 'requestId' : 'request_id'} of that answer`,
    '',
  ].join('\n');
}

const providersOf = (instances: readonly { readonly name: string }[]): string => instances.map(({ name }) => name).join(', ') || 'none';
