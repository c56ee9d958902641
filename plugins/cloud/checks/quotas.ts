import { isFault, type Call, type CheckResult, type ProviderCheck } from '../../../core/index.ts';
import { instanceType } from '../catalogue/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { machineTypesOf, marketsOf } from '../launch/pools.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { cloudTemplates, error, ok, unlessDenied, warning } from './results.ts';

/** The quotas for running vCPUs, by the first letters of a machine type: on demand, and Spot. */
const codes: readonly (readonly [RegExp, { readonly 'on-demand': string; readonly spot: string }])[] = [
  [/^(g|vt)\d/, { 'on-demand': 'L-DB2E81BA', spot: 'L-3819A6DF' }],
  [/^p\d/, { 'on-demand': 'L-417A185B', spot: 'L-7212CCBC' }],
  [/^x\d/, { 'on-demand': 'L-7295265B', spot: 'L-E3A00192' }],
  [/^f\d/, { 'on-demand': 'L-74FC7D96', spot: 'L-88CF9481' }],
  [/^inf\d/, { 'on-demand': 'L-1945791B', spot: 'L-B5D1601B' }],
  [/^[acdhimrtz]\d/, { 'on-demand': 'L-1216C47A', spot: 'L-34B43A08' }],
];

/** Whether the quotas of the account allow as many machines as the templates. */
export const quotasCheck: ProviderCheck<CloudSession> = {
  name: 'quotas',
  why: 'EC2 starts machines only up to the vCPUs that the account may run at a time, Spot and on demand apart.',
  remedy: 'Ask for a higher quota in Service Quotas, or lower max_instances.',
  run: (session, checked, call) =>
    unlessDenied('The quotas', 'servicequotas:GetServiceQuota', async () => {
      const needs = cloudTemplates(checked).flatMap(needsOf);
      const limits = new Map<string, number | undefined>();
      for (const code of new Set(needs.map(({ code }) => code))) limits.set(code, await quota(session, code, call));
      const wrong = needs.flatMap((need) => judge(need, limits.get(need.code)));
      const shown = [...limits].map(([code, value]) => `${code} ${value ?? 'not listed'}`).join(', ');
      return wrong.length > 0 || needs.length === 0
        ? wrong
        : [ok(`They allow what the templates may start: ${shown} vCPUs.`)];
    }),
};

interface Need {
  readonly template_id: string;
  readonly code: string;
  readonly market: string;
  /** The vCPUs of the largest type. */
  readonly vcpus: number;
  /** undefined: the template has no maximum. */
  readonly most: number | undefined;
}

/** What a template may use of each quota. Types that are not in the catalogue are left out. */
function needsOf(template: CloudTemplate): readonly Need[] {
  const { template_id, max_instances = -1 } = template;
  const most = max_instances < 0 ? undefined : max_instances;
  const needs = new Map<string, Need>();
  for (const market of marketsOf(template))
    for (const name of machineTypesOf(template, market)) {
      const known = name === undefined ? undefined : instanceType(name);
      const code = codes.find(([form]) => form.test(name ?? ''))?.[1][market === 'spot' ? 'spot' : 'on-demand'];
      if (!known || code === undefined) continue;
      const vcpus = Math.max(known.vcpus, needs.get(code)?.vcpus ?? 0);
      needs.set(code, { template_id, code, market, vcpus, most });
    }
  return [...needs.values()];
}

function judge({ template_id, code, market, vcpus, most }: Need, limit: number | undefined): readonly CheckResult[] {
  if (limit === undefined) return [];
  const quotaText = `quota ${code} allows ${limit} vCPUs (${market})`;
  if (limit < vcpus) return [error(`Template '${template_id}' starts no machine of ${vcpus} vCPUs: ${quotaText}.`)];
  if (most === undefined || limit >= most * vcpus) return [];
  return [warning(`Template '${template_id}' may need ${most * vcpus} vCPUs for ${most} machines, and ${quotaText}.`)];
}

/** The value of a quota; undefined when the region has none of this code. */
const quota = (session: CloudSession, QuotaCode: string, call: Call): Promise<number | undefined> =>
  session.quotas
    .read((quotas) => new quotas.GetServiceQuotaCommand({ ServiceCode: 'ec2', QuotaCode }), call)
    .then(({ Quota }) => Quota?.Value)
    .catch((fault: unknown) => {
      if (isFault(fault) && fault.code === 'NoSuchResourceException') return undefined;
      throw fault;
    });
