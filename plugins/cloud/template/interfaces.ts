import type { LaunchTemplateInstanceNetworkInterfaceSpecificationRequest } from '@aws-sdk/client-ec2';
import { Type } from 'typebox';
import type { Finding } from '../../../core/index.ts';

/** The most network cards of a machine type, each with one EFA interface. */
const maxCards = 32;

/** The fields of a template that describe network interfaces. */
export const interfaceFields = {
  public_ip: Type.Optional(
    Type.Boolean({
      description: 'Whether the machines get a public IPv4 address. Default: as their subnet has it.',
      aliases: ['public_ip_assignment', 'associate_public_ip_address'],
    }),
  ),
  interface_type: Type.Optional(
    Type.Enum(['interface', 'efa'], {
      description: 'Type of the network interfaces: `interface` (default), or `efa`, an Elastic Fabric Adapter.',
    }),
  ),
  efa_count: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: maxCards,
      description: 'How many EFA interfaces a machine gets, one on each network card. Default: 1.',
    }),
  ),
};

interface InterfaceTemplate {
  readonly public_ip?: boolean;
  readonly interface_type?: 'interface' | 'efa';
  readonly efa_count?: number;
  readonly tenancy?: unknown;
}

const isEfa = ({ interface_type, efa_count }: InterfaceTemplate): boolean =>
  interface_type === 'efa' && efa_count !== 0;

/**
 * The network interfaces of a machine, without groups and subnet; undefined when no field describes one. The first
 * interface has device index 0, and each further card has its interface at device index 1, as EFA requires.
 */
export function interfacesOf(
  template: InterfaceTemplate,
): LaunchTemplateInstanceNetworkInterfaceSpecificationRequest[] | undefined {
  const { public_ip, efa_count = 1 } = template;
  const efa = isEfa(template);
  if (!efa && public_ip === undefined) return undefined;
  const count = efa ? efa_count : 1;
  return Array.from({ length: count }, (_, card) => ({
    DeviceIndex: card === 0 ? 0 : 1,
    ...(card === 0 ? {} : { NetworkCardIndex: card }),
    ...(efa ? { InterfaceType: 'efa' } : {}),
    // EC2 refuses the parameter beside several interfaces, which get no public address in any case.
    ...(public_ip === undefined || count > 1 ? {} : { AssociatePublicIpAddress: public_ip }),
  }));
}

/** Reports what EC2 would refuse in the network interfaces, and a count without effect. */
export function reviewInterfaceFields(template: InterfaceTemplate): Finding[] {
  const { public_ip, interface_type, efa_count } = template;
  const findings: Finding[] = [];
  if (efa_count !== undefined && efa_count > 0 && interface_type !== 'efa')
    findings.push({ level: 'warning', path: '/efa_count', message: 'has no effect without interface_type efa' });
  if (efa_count === 0 && interface_type === 'efa')
    findings.push({
      level: 'warning',
      path: '/interface_type',
      message: 'has no effect with efa_count 0; set efa_count to the number of network cards, or remove it',
    });
  if (public_ip === true && isEfa(template) && (efa_count ?? 1) > 1)
    findings.push({
      level: 'error',
      path: '/public_ip',
      message:
        'cannot be true with several interfaces: EC2 gives a public address to machines with one interface only',
    });
  return findings;
}
