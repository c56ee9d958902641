import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { interfaceFields } from '../template/interfaces.ts';
import { overlay } from '../template/overlay.ts';
import { reviewUserData } from '../template/user-data.ts';

/** Template fields that override the description of the machines. */
export type NativeField = 'launch_template_spec' | 'provider_api_spec';

type Tree = Readonly<Record<string, unknown>>;

/** The machines of a template in the native parameters of EC2. */
export const nativeMachine = (template: CloudTemplate, fields: readonly NativeField[]): Tree =>
  fields.reduce<Tree>((laid, field) => overlay(laid, template[field]), {});

/** Reports what EC2 would refuse in native specifications of machines, alone or together with the other fields. */
export function reviewNative(template: CloudTemplate, fields: readonly NativeField[]): Finding[] {
  return [
    ...reviewFiles(template),
    ...reviewNativeUserData(template, fields),
    ...reviewInterfaces(template, fields),
    ...reviewTermination(template, fields),
  ];
}

/** When a template file is read, the contents of the named file replace its name. */
function reviewFiles(template: CloudTemplate): Finding[] {
  return (['launch_template_spec_file', 'provider_api_spec_file'] as const).flatMap((field): Finding[] =>
    template[field]
      ? [{ level: 'error', path: `/${field}`, message: 'cannot be used here; only template files may name a file' }]
      : [],
  );
}

function reviewNativeUserData(template: CloudTemplate, fields: readonly NativeField[]): Finding[] {
  return fields.flatMap((field): Finding[] => {
    const path = `/${field}/UserData`;
    const given = template[field]?.['UserData'];
    if (given === undefined || given === null) return [];
    return typeof given === 'string'
      ? reviewUserData(given, path)
      : [{ level: 'error', path, message: 'must be base64' }];
  });
}

interface TerminationParameters {
  readonly DisableApiTermination?: unknown;
  readonly InstanceMarketOptions?: { readonly SpotOptions?: { readonly SpotInstanceType?: unknown } };
}

/** Reports parameters that prevent the return of machines, or that replace returned machines. */
function reviewTermination(template: CloudTemplate, fields: readonly NativeField[]): Finding[] {
  return fields.flatMap((field): Finding[] => {
    const { DisableApiTermination, InstanceMarketOptions } = (template[field] ?? {}) as TerminationParameters;
    const findings: Finding[] = [];
    if (DisableApiTermination === true)
      findings.push({
        level: 'warning',
        path: `/${field}/DisableApiTermination`,
        message: 'prevents the return of machines until it is removed from each machine',
      });
    if (InstanceMarketOptions?.SpotOptions?.SpotInstanceType === 'persistent')
      findings.push({
        level: 'error',
        path: `/${field}/InstanceMarketOptions/SpotOptions/SpotInstanceType`,
        message: 'must be one-time; a persistent request replaces a machine that is returned',
      });
    return findings;
  });
}

interface Interface {
  readonly AssociatePublicIpAddress?: unknown;
  readonly Groups?: unknown;
  readonly NetworkInterfaceId?: unknown;
  readonly SubnetId?: unknown;
}

/**
 * With network interfaces, the groups and the subnet belong to the interfaces. The fields of the template are put into
 * each interface that names none.
 */
function reviewInterfaces(template: CloudTemplate, fields: readonly NativeField[]): Finding[] {
  const machine = nativeMachine(template, fields);
  const given = machine['NetworkInterfaces'];
  if (given === undefined) return [];
  const path = `/${fields.findLast((field) => template[field]?.['NetworkInterfaces'] !== undefined)}/NetworkInterfaces`;
  if (!Array.isArray(given)) return [{ level: 'error', path, message: 'must be a list' }];
  const findings: Finding[] = [];
  const error = (where: string, message: string) => findings.push({ level: 'error', path: where, message });
  for (const field of Object.keys(interfaceFields))
    if (template[field] !== undefined)
      findings.push({ level: 'warning', path: `/${field}`, message: `has no effect; ${path.slice(1)} replaces it` });
  const interfaces = given as readonly Interface[];
  if (interfaces.length > 1 && interfaces.some((each) => each.AssociatePublicIpAddress === true))
    error(path, 'must be only one when a public address is associated');
  if (machine['SecurityGroups'] !== undefined)
    error(path, 'cannot be combined with SecurityGroups; put the groups into the first interface');
  const [first] = interfaces;
  const isThere = first?.NetworkInterfaceId !== undefined;
  if (template.subnet_ids?.length && (isThere || first?.SubnetId !== undefined))
    error(`${path}/0`, 'cannot be combined with subnet_ids, since both place the machines; remove one of the two');
  if (template.security_group_ids?.length && (isThere || first?.Groups !== undefined))
    findings.push({
      level: 'warning',
      path: '/security_group_ids',
      message: 'have no effect; the first network interface has its own',
    });
  return findings;
}

/** Reports native parameters that muster overrides. */
export function reviewOverridden(native: Tree, names: readonly string[], path = '/provider_api_spec'): Finding[] {
  return names.flatMap((name): Finding[] =>
    native[name] === undefined
      ? []
      : [{ level: 'warning', path: `${path}/${name}`, message: 'has no effect; muster sets it itself' }],
  );
}
