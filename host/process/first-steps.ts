import type { Template } from '../../core/model/template.ts';
import { choose } from '../../core/providers/choose.ts';
import type { Broker } from '../compose.ts';
import { thisPackage } from './this-package.ts';

/** Returns the text at the start of a server: its address, and three calls that work. */
export function firstSteps({ configuration, services }: Broker, url: string): string {
  const { items } = services.templateLibrary.list();
  const first = items.find(({ template }) => canServe(services, template)) ?? items[0];
  const id = first?.template.template_id ?? 'TEMPLATE_ID';
  const asHostFactory = configuration.scheduler === 'hostfactory';
  const body = asHostFactory ? { templateId: id, machineCount: 3 } : { template_id: id, machine_count: 3 };
  const api = `${url}/api/v1`;
  return [
    `${thisPackage.name} ${thisPackage.version} answers at ${url} (scheduler ${configuration.scheduler}, providers ${providersOf(configuration.providers)}).`,
    first ? 'Try:' : 'There are no templates yet. With a template, try:',
    `  curl -s ${api}/templates/`,
    `  curl -s ${api}/machines/request -H 'content-type: application/json' -d '${JSON.stringify(body)}'`,
    `  curl -s ${api}/requests/REQUEST_ID/status     # with the ${asHostFactory ? 'requestId' : 'request_id'} of that answer`,
    '',
  ].join('\n');
}

/** Whether the broker would accept a request for three machines. */
function canServe({ providers, templateLibrary }: Broker['services'], { template_id }: Template): boolean {
  try {
    return (
      choose(templateLibrary.placed(template_id), { key: template_id, machine_count: 3 }, {}, providers)
        .provider_instance !== ''
    );
  } catch {
    // The reason is reported to callers who send such a request.
    return false;
  }
}

const providersOf = (instances: readonly { readonly name: string }[]): string =>
  instances.map(({ name }) => name).join(', ') || 'none';
