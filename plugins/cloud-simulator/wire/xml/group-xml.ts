import { type Group, type GroupConfig, type GroupMember, type TemplateName } from '../../state/groups.ts';
import { type Params, part, text } from '../form.ts';
import { memberParts, memberSet } from '../members.ts';
import { escapeXml, leaf, node, timestamp } from './xml.ts';

const attached = ['LoadBalancerNames', 'TargetGroupARNs', 'TrafficSources'];

/** A group as DescribeAutoScalingGroups shows it. */
export function groupXml(group: Group, now: number): string {
  const { config } = group;
  return (
    leaf('AutoScalingGroupName', group.name) +
    leaf('AutoScalingGroupARN', group.arn) +
    (config.source.policy === undefined
      ? node('LaunchTemplate', templateXml(config.source.template))
      : policyXml(config, config.source.policy)) +
    leaf('MinSize', config.min) +
    leaf('MaxSize', config.max) +
    leaf('DesiredCapacity', group.desired) +
    leaf('DefaultCooldown', config.cooldownS) +
    memberSet('AvailabilityZones', config.zones, escapeXml) +
    attached.map((name) => (config.echoed[name] === undefined ? `<${name}/>` : '')).join('') +
    '<EnabledMetrics/>' +
    echoXml(config.echoed) +
    memberSet('Instances', group.members.values(), (member) => memberXml(member, now)) +
    timestamp('CreatedTime', group.createdAt) +
    memberSet(
      'SuspendedProcesses',
      group.suspended,
      ([name, reason]) => leaf('ProcessName', name) + leaf('SuspensionReason', reason),
    ) +
    leaf('VPCZoneIdentifier', config.subnets.join(',')) +
    (group.deletedAt === undefined ? '' : leaf('Status', 'Delete in progress')) +
    memberSet('Tags', group.tags, ([key, tag]) => groupTagXml(group, key, tag)) +
    memberSet('TerminationPolicies', config.terminationPolicies, escapeXml) +
    leaf('NewInstancesProtectedFromScaleIn', config.newProtected) +
    [...config.shown].map(([name, value]) => leaf(name, value)).join('')
  );
}

/** The state of a machine in its group, as the group knows it. */
export function lifecycleOf(member: GroupMember, now: number): 'Pending' | 'InService' | 'Terminating' {
  if (member.leaving) return 'Terminating';
  const { runningAt, shutdownAt } = member.instance;
  const inService = now >= runningAt && (shutdownAt === undefined || shutdownAt >= runningAt);
  return inService ? 'InService' : 'Pending';
}

/** A machine as its group shows it. */
function memberXml(member: GroupMember, now: number, health = healthOf(member)): string {
  const { instance, weight, template } = member;
  return (
    leaf('InstanceId', instance.id) +
    leaf('InstanceType', instance.reservation.spec.type.instance_type) +
    leaf('AvailabilityZone', instance.zone) +
    leaf('LifecycleState', lifecycleOf(member, now)) +
    leaf('HealthStatus', health) +
    (template === undefined ? '' : node('LaunchTemplate', templateXml(template))) +
    leaf('ProtectedFromScaleIn', member.guarded) +
    (member.weighted ? leaf('WeightedCapacity', String(weight)) : '')
  );
}

/** A machine as DescribeAutoScalingInstances shows it: with its group, and its health in capitals. */
export function memberDetailsXml(group: Group, member: GroupMember, now: number): string {
  return leaf('AutoScalingGroupName', group.name) + memberXml(member, now, healthOf(member).toUpperCase());
}

function healthOf(member: GroupMember): string {
  return member.healthy ? 'Healthy' : 'Unhealthy';
}

/** A tag as Auto Scaling shows it. */
export function groupTagXml(
  group: Group,
  key: string,
  tag: { readonly value: string; readonly propagate: boolean },
): string {
  return (
    leaf('ResourceId', group.name) +
    leaf('ResourceType', 'auto-scaling-group') +
    leaf('Key', key) +
    leaf('Value', tag.value) +
    leaf('PropagateAtLaunch', tag.propagate)
  );
}

function templateXml({ id, name, version }: TemplateName): string {
  return leaf('LaunchTemplateId', id) + leaf('LaunchTemplateName', name) + leaf('Version', version);
}

function policyXml(config: GroupConfig, policy: Params): string {
  const overrides = memberParts(part(policy, 'LaunchTemplate'), 'Overrides');
  const distribution = part(policy, 'InstancesDistribution');
  const strategy = text(distribution, 'SpotAllocationStrategy') ?? 'lowest-price';
  return node(
    'MixedInstancesPolicy',
    node(
      'LaunchTemplate',
      node('LaunchTemplateSpecification', templateXml(config.source.template)) +
        memberSet('Overrides', overrides, echoXml),
    ) +
      node(
        'InstancesDistribution',
        leaf('OnDemandAllocationStrategy', text(distribution, 'OnDemandAllocationStrategy') ?? 'prioritized') +
          leaf('OnDemandBaseCapacity', text(distribution, 'OnDemandBaseCapacity') ?? '0') +
          leaf(
            'OnDemandPercentageAboveBaseCapacity',
            text(distribution, 'OnDemandPercentageAboveBaseCapacity') ?? '100',
          ) +
          leaf('SpotAllocationStrategy', strategy) +
          (strategy === 'lowest-price'
            ? leaf('SpotInstancePools', text(distribution, 'SpotInstancePools') ?? '2')
            : '') +
          leaf('SpotMaxPrice', text(distribution, 'SpotMaxPrice') || undefined),
      ),
  );
}

/**
 * Encodes request parameters as an answer. Auto Scaling uses the same names in both, except for the numbers of lists.
 */
function echoXml(params: Params): string {
  return Object.entries(params)
    .map(([name, value]) => {
      if (typeof value === 'string') return leaf(name, value);
      const list = part(value, 'member');
      if (list === undefined) return node(name, echoXml(value));
      return memberSet(name, Object.values(list), (entry) =>
        typeof entry === 'string' ? escapeXml(entry) : echoXml(entry),
      );
    })
    .join('');
}
