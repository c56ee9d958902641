import type { Finding } from '../../../core/index.ts';
import type { CloudTemplate } from '../template/fields.ts';
import { overlay } from '../template/overlay.ts';
import { reviewUserData } from '../template/user-data.ts';

/** Fields whose contents are laid over what describes the machines. */
export type NativeField = 'launch_template_spec' | 'provider_api_spec';

type Tree = Readonly<Record<string, unknown>>;

/** What a template says of its machines in EC2's own words. */
export const nativeMachine = (template: CloudTemplate, fields: readonly NativeField[]): Tree =>
  fields.reduce<Tree>((laid, field) => overlay(laid, template[field]), {});

/** What EC2 would refuse in native specifications of machines, alone or beside what the template says in our words. */
export function reviewNative(template: CloudTemplate, fields: readonly NativeField[]): Finding[] {
  return [
    ...reviewFiles(template),
    ...reviewNativeUserData(template, fields),
    ...reviewInterfaces(template, fields),
    ...reviewEnd(template, fields),
  ];
}

/** Template files have the contents of the file in place of its name when they were read. */
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

interface Ending {
  readonly DisableApiTermination?: unknown;
  readonly InstanceMarketOptions?: { readonly SpotOptions?: { readonly SpotInstanceType?: unknown } };
}

/** What keeps machines from being given back, or brings others in their place. */
function reviewEnd(template: CloudTemplate, fields: readonly NativeField[]): Finding[] {
  return fields.flatMap((field): Finding[] => {
    const { DisableApiTermination, InstanceMarketOptions } = (template[field] ?? {}) as Ending;
    const findings: Finding[] = [];
    if (DisableApiTermination === true)
      findings.push({
        level: 'warning',
        path: `/${field}/DisableApiTermination`,
        message: 'keeps machines from being given back until somebody takes it from them',
      });
    if (InstanceMarketOptions?.SpotOptions?.SpotInstanceType === 'persistent')
      findings.push({
        level: 'error',
        path: `/${field}/InstanceMarketOptions/SpotOptions/SpotInstanceType`,
        message: 'must be one-time; a persistent request starts another machine after one that is given back',
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
 * With network interfaces, groups and subnet belong into the first: what the template says in our words is put there
 * where it says nothing of its own.
 */
function reviewInterfaces(template: CloudTemplate, fields: readonly NativeField[]): Finding[] {
  const machine = nativeMachine(template, fields);
  const given = machine['NetworkInterfaces'];
  if (given === undefined) return [];
  const path = `/${fields.findLast((field) => template[field]?.['NetworkInterfaces'] !== undefined)}/NetworkInterfaces`;
  if (!Array.isArray(given)) return [{ level: 'error', path, message: 'must be a list' }];
  const findings: Finding[] = [];
  const error = (where: string, message: string) => findings.push({ level: 'error', path: where, message });
  const interfaces = given as readonly Interface[];
  if (interfaces.length > 1 && interfaces.some((each) => each.AssociatePublicIpAddress === true))
    error(path, 'must be one where a public address is associated');
  if (machine['SecurityGroups'] !== undefined)
    error(path, 'cannot stand beside SecurityGroups; groups belong into the first interface');
  const [first] = interfaces;
  const isThere = first?.NetworkInterfaceId !== undefined;
  if (template.subnet_ids?.length && (isThere || first?.SubnetId !== undefined))
    error(`${path}/0`, 'says where machines are placed, and so does subnet_ids; one of the two must go');
  if (template.security_group_ids?.length && (isThere || first?.Groups !== undefined))
    findings.push({
      level: 'warning',
      path: '/security_group_ids',
      message: 'have no effect; the first network interface has its own',
    });
  return findings;
}

/** Native parameters that muster sets itself, whatever the template says. */
export function reviewOverruled(native: Tree, names: readonly string[], path = '/provider_api_spec'): Finding[] {
  return names.flatMap((name): Finding[] =>
    native[name] === undefined
      ? []
      : [{ level: 'warning', path: `${path}/${name}`, message: 'has no effect; muster sets it itself' }],
  );
}
