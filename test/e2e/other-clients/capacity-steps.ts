import { entries, kept, like, present, type Step, some } from './steps.ts';

const data = () => `{"ImageId":"${kept['image']}","InstanceType":"t3.micro"}`;
const configs = () => `[{"LaunchTemplateSpecification":{"LaunchTemplateId":"${kept['template']}","Version":"1"}}]`;
const fleet = (type: string, units: number) =>
  `ec2 create-fleet --type ${type} --launch-template-configs ${configs()} --target-capacity-specification TotalTargetCapacity=${units},DefaultTargetCapacityType=on-demand`;

/** Launch templates, fleets, Spot requests and groups. */
export const capacitySteps: readonly Step[] = [
  {
    command: () => `ec2 create-launch-template --launch-template-name one --launch-template-data ${data()}`,
    answer: { LaunchTemplate: { LaunchTemplateName: 'one', DefaultVersionNumber: 1, LatestVersionNumber: 1 } },
    keep: (answer) => void (kept['template'] = answer.LaunchTemplate.LaunchTemplateId),
  },
  {
    command: () => `ec2 create-launch-template --launch-template-name one --launch-template-data ${data()}`,
    code: 'InvalidLaunchTemplateName.AlreadyExistsException',
  },
  {
    command: () =>
      `ec2 create-launch-template-version --launch-template-name one --source-version 1 --launch-template-data {"InstanceType":"t3.small"}`,
    answer: {
      LaunchTemplateVersion: {
        VersionNumber: 2,
        DefaultVersion: false,
        LaunchTemplateData: { InstanceType: 't3.small' },
      },
    },
  },
  {
    command: () => 'ec2 describe-launch-template-versions --launch-template-name one --versions $Latest',
    answer: { LaunchTemplateVersions: [{ VersionNumber: 2 }] },
  },
  {
    command: () => 'ec2 modify-launch-template --launch-template-name one --default-version 2',
    answer: { LaunchTemplate: { DefaultVersionNumber: 2 } },
  },
  {
    command: () => 'ec2 delete-launch-template-versions --launch-template-name one --versions 2 9',
    answer: { UnsuccessfullyDeletedLaunchTemplateVersions: entries(2) },
  },
  {
    command: () => 'ec2 describe-launch-templates --launch-template-names none',
    code: 'InvalidLaunchTemplateName.NotFoundException',
  },
  {
    command: () => 'ec2 run-instances --launch-template LaunchTemplateName=one,Version=1 --count 1',
    answer: { Instances: [{ InstanceType: 't3.micro', Tags: entries(2) }] },
    keep: (answer) => void (kept['single'] = answer.Instances[0].InstanceId),
  },
  {
    command: () => `ec2 describe-instances --filters Name=tag:aws:ec2launchtemplate:id,Values=${kept['template']}`,
    answer: { Reservations: [{ Instances: entries(1) }] },
  },
  {
    command: () => fleet('instant', 2),
    answer: { FleetId: like(/^fleet-/), Errors: [], Instances: [{ InstanceIds: entries(2), Lifecycle: 'on-demand' }] },
    keep: (answer) => void (kept['instant'] = answer.FleetId),
  },
  {
    command: () => `ec2 describe-fleets --fleet-ids ${kept['instant']}`,
    answer: { Fleets: [{ Type: 'instant', FleetState: 'active' }] },
  },
  {
    command: () =>
      `ec2 modify-fleet --fleet-id ${kept['instant']} --target-capacity-specification TotalTargetCapacity=1`,
    code: 'UnsupportedOperation',
  },
  {
    command: () => `ec2 delete-fleets --fleet-ids ${kept['instant']} --no-terminate-instances`,
    answer: { UnsuccessfulFleetDeletions: [{ Error: { Code: 'NoTerminateInstancesNotSupported' } }] },
  },
  {
    command: () => `ec2 delete-fleets --fleet-ids ${kept['instant']} --terminate-instances`,
    answer: { SuccessfulFleetDeletions: [{ PreviousFleetState: 'active' }] },
  },
  { command: () => fleet('maintain', 2), keep: (answer) => void (kept['fleet'] = answer.FleetId) },
  {
    command: () => `ec2 describe-fleet-instances --fleet-id ${kept['fleet']}`,
    answer: { ActiveInstances: entries(2) },
  },
  {
    command: () => `ec2 describe-fleets --fleet-ids ${kept['fleet']}`,
    answer: {
      Fleets: [{ Type: 'maintain', FleetState: 'active', FulfilledCapacity: 2, ActivityStatus: 'fulfilled' }],
    },
  },
  {
    command: () =>
      `ec2 modify-fleet --fleet-id ${kept['fleet']} --target-capacity-specification TotalTargetCapacity=1,DefaultTargetCapacityType=on-demand`,
    answer: { Return: true },
  },
  {
    command: () => `ec2 describe-fleet-history --fleet-id ${kept['fleet']} --start-time 2000-01-01T00:00:00Z`,
    answer: { HistoryRecords: some },
  },
  {
    command: () => `ec2 delete-fleets --fleet-ids ${kept['fleet']} --terminate-instances`,
    answer: { SuccessfulFleetDeletions: [{ CurrentFleetState: 'deleted_terminating' }] },
  },
  {
    command: () => 'ec2 describe-fleets --fleet-ids fleet-00000000-0000-0000-0000-000000000000',
    code: 'InvalidFleetId.NotFound',
  },
  {
    command: () =>
      `ec2 request-spot-fleet --spot-fleet-request-config {"IamFleetRole":"arn:aws:iam::123456789012:role/fleet","TargetCapacity":1,"LaunchTemplateConfigs":${configs()}}`,
    answer: { SpotFleetRequestId: like(/^sfr-/) },
    keep: (answer) => void (kept['spot-fleet'] = answer.SpotFleetRequestId),
  },
  {
    command: () => `ec2 describe-spot-fleet-requests --spot-fleet-request-ids ${kept['spot-fleet']}`,
    answer: {
      SpotFleetRequestConfigs: [{ SpotFleetRequestState: 'active', SpotFleetRequestConfig: { TargetCapacity: 1 } }],
    },
  },
  {
    command: () => `ec2 describe-spot-fleet-instances --spot-fleet-request-id ${kept['spot-fleet']}`,
    answer: { ActiveInstances: [{ SpotInstanceRequestId: like(/^sir-/) }] },
  },
  {
    command: () => `ec2 modify-spot-fleet-request --spot-fleet-request-id ${kept['spot-fleet']} --target-capacity 2`,
    answer: { Return: true },
  },
  {
    command: () =>
      `ec2 cancel-spot-fleet-requests --spot-fleet-request-ids ${kept['spot-fleet']} --terminate-instances`,
    answer: { SuccessfulFleetRequests: [{ CurrentSpotFleetRequestState: 'cancelled_terminating' }] },
  },
  {
    command: () =>
      `ec2 request-spot-instances --instance-count 2 --launch-specification {"ImageId":"${kept['image']}","InstanceType":"t3.micro"}`,
    answer: {
      SpotInstanceRequests: [{ State: 'open', Type: 'one-time' }, { Status: { Code: 'pending-evaluation' } }],
    },
    keep(answer) {
      kept['spot'] = answer.SpotInstanceRequests[0].SpotInstanceRequestId;
      kept['spot-2'] = answer.SpotInstanceRequests[1].SpotInstanceRequestId;
    },
  },
  {
    command: () =>
      `ec2 wait spot-instance-request-fulfilled --spot-instance-request-ids ${kept['spot']} ${kept['spot-2']}`,
  },
  {
    command: () => `ec2 describe-spot-instance-requests --spot-instance-request-ids ${kept['spot']}`,
    answer: { SpotInstanceRequests: [{ State: 'active', Status: { Code: 'fulfilled' }, InstanceId: like(/^i-/) }] },
    keep: (answer) => void (kept['spot-machine'] = answer.SpotInstanceRequests[0].InstanceId),
  },
  { command: () => `ec2 create-tags --resources ${kept['spot']} --tags Key=k,Value=v` },
  { command: () => `ec2 stop-instances --instance-ids ${kept['spot-machine']}`, code: 'UnsupportedOperation' },
  {
    command: () => `ec2 cancel-spot-instance-requests --spot-instance-request-ids ${kept['spot']}`,
    answer: { CancelledSpotInstanceRequests: [{ State: 'cancelled' }] },
  },
  {
    command: () => 'ec2 cancel-spot-instance-requests --spot-instance-request-ids sir-00000000',
    code: 'InvalidSpotInstanceRequestID.NotFound',
  },
  {
    command: () =>
      'autoscaling create-auto-scaling-group --auto-scaling-group-name web --min-size 0 --max-size 3 --desired-capacity 1 --availability-zones us-east-1a --launch-template LaunchTemplateName=one,Version=1',
  },
  {
    command: () =>
      'autoscaling create-auto-scaling-group --auto-scaling-group-name web --min-size 0 --max-size 3 --availability-zones us-east-1a --launch-template LaunchTemplateName=one,Version=1',
    code: 'AlreadyExists',
  },
  {
    command: () => 'autoscaling describe-auto-scaling-groups --auto-scaling-group-names web',
    answer: { AutoScalingGroups: [{ DesiredCapacity: 1, Instances: entries(1), HealthCheckType: 'EC2' }] },
    keep: (answer) => void (kept['member'] = answer.AutoScalingGroups[0].Instances[0].InstanceId),
  },
  {
    command: () => `autoscaling attach-instances --auto-scaling-group-name web --instance-ids ${kept['spot-machine']}`,
    code: 'ValidationError',
  },
  {
    command: () => 'autoscaling describe-lifecycle-hooks --auto-scaling-group-name web',
    answer: { LifecycleHooks: [] },
  },
  { command: () => 'autoscaling disable-metrics-collection --auto-scaling-group-name web' },
  { command: () => 'autoscaling suspend-processes --auto-scaling-group-name web --scaling-processes AZRebalance' },
  { command: () => 'autoscaling resume-processes --auto-scaling-group-name web' },
  {
    command: () => 'autoscaling set-desired-capacity --auto-scaling-group-name web --desired-capacity 9',
    code: 'ValidationError',
  },
  { command: () => 'autoscaling set-desired-capacity --auto-scaling-group-name web --desired-capacity 2' },
  {
    command: () =>
      `autoscaling set-instance-protection --auto-scaling-group-name web --instance-ids ${kept['member']} --protected-from-scale-in`,
  },
  {
    command: () => `autoscaling describe-auto-scaling-instances --instance-ids ${kept['member']}`,
    answer: {
      AutoScalingInstances: [{ AutoScalingGroupName: 'web', ProtectedFromScaleIn: true, HealthStatus: 'HEALTHY' }],
    },
  },
  {
    command: () =>
      'autoscaling create-or-update-tags --tags ResourceId=web,ResourceType=auto-scaling-group,Key=k,Value=v,PropagateAtLaunch=true',
  },
  {
    command: () => 'autoscaling describe-tags --filters Name=key,Values=k',
    answer: { Tags: [{ ResourceId: 'web' }] },
  },
  {
    command: () => 'autoscaling describe-scaling-activities --auto-scaling-group-name web',
    answer: { Activities: some },
  },
  { command: () => 'autoscaling describe-account-limits', answer: { NumberOfAutoScalingGroups: 1 } },
  {
    command: () =>
      `autoscaling detach-instances --auto-scaling-group-name web --instance-ids ${kept['member']} --should-decrement-desired-capacity`,
    answer: { Activities: [{ Progress: present }] },
  },
  { command: () => `autoscaling attach-instances --auto-scaling-group-name web --instance-ids ${kept['member']}` },
  {
    command: () =>
      `autoscaling terminate-instance-in-auto-scaling-group --instance-id ${kept['member']} --should-decrement-desired-capacity`,
    answer: { Activity: { StatusCode: present } },
  },
  {
    command: () => 'autoscaling update-auto-scaling-group --auto-scaling-group-name web --min-size 5 --max-size 3',
    code: 'ValidationError',
  },
  { command: () => 'autoscaling delete-auto-scaling-group --auto-scaling-group-name none', code: 'ValidationError' },
  { command: () => 'autoscaling delete-auto-scaling-group --auto-scaling-group-name web --force-delete' },
  {
    command: () => `ec2 delete-launch-template --launch-template-id ${kept['template']}`,
    answer: { LaunchTemplate: present },
  },
];
