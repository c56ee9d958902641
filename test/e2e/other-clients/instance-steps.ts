import { entries, kept, like, present, type Step, some } from './steps.ts';

const state = (name: string, code: number) => ({ Name: name, Code: code });

/** Machines, their volumes, interfaces, tags and attributes. */
export const instanceSteps: readonly Step[] = [
  {
    command: () =>
      `ec2 run-instances --image-id ${kept['image']} --instance-type t3.micro --count 2 --key-name default --client-token one --private-ip-address 10.0.0.9`,
    code: 'InvalidParameterCombination',
  },
  {
    command: () =>
      `ec2 run-instances --image-id ${kept['image']} --instance-type t3.micro --count 2 --subnet-id ${kept['subnet']} --client-token two --user-data hello --tag-specifications ResourceType=instance,Tags=[{Key=Name,Value=a}] ResourceType=volume,Tags=[{Key=disk,Value=b}]`,
    answer: {
      ReservationId: like(/^r-[0-9a-f]{17}$/),
      OwnerId: like(/^\d{12}$/),
      Instances: [
        {
          State: state('pending', 0),
          AmiLaunchIndex: 0,
          InstanceType: 't3.micro',
          Tags: [{ Key: 'Name', Value: 'a' }],
        },
        { State: state('pending', 0), AmiLaunchIndex: 1, ClientToken: 'two', PublicDnsName: '' },
      ],
    },
    keep(answer) {
      kept['a'] = answer.Instances[0].InstanceId;
      kept['b'] = answer.Instances[1].InstanceId;
      kept['reservation'] = answer.ReservationId;
    },
  },
  {
    command: () =>
      `ec2 run-instances --image-id ${kept['image']} --instance-type t3.small --count 2 --subnet-id ${kept['subnet']} --client-token two`,
    code: 'IdempotentParameterMismatch',
  },
  { command: () => `ec2 wait instance-running --instance-ids ${kept['a']} ${kept['b']}` },
  { command: () => `ec2 wait instance-exists --instance-ids ${kept['a']}` },
  { command: () => `ec2 wait instance-status-ok --instance-ids ${kept['a']}` },
  { command: () => `ec2 wait system-status-ok --instance-ids ${kept['a']}` },
  {
    command: () => `ec2 describe-instances --instance-ids ${kept['a']}`,
    answer: {
      Reservations: [
        {
          ReservationId: (found) => found === kept['reservation'],
          Instances: [
            {
              State: state('running', 16),
              SubnetId: (found) => found === kept['subnet'],
              Placement: { AvailabilityZone: 'us-east-1a', Tenancy: 'default' },
              Monitoring: { State: 'disabled' },
              RootDeviceName: '/dev/xvda',
              NetworkInterfaces: [
                {
                  Status: 'in-use',
                  MacAddress: like(/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/),
                  Attachment: { DeviceIndex: 0, Status: 'attached', AttachTime: present },
                  OwnerId: like(/^\d{12}$/),
                },
              ],
              BlockDeviceMappings: [
                { DeviceName: '/dev/xvda', Ebs: { Status: 'attached', DeleteOnTermination: true } },
              ],
            },
          ],
        },
      ],
    },
    keep(answer) {
      const [machine] = answer.Reservations[0].Instances;
      kept['volume'] = machine.BlockDeviceMappings[0].Ebs.VolumeId;
      kept['interface'] = machine.NetworkInterfaces[0].NetworkInterfaceId;
      kept['address'] = machine.PrivateIpAddress;
    },
  },
  {
    command: () => `ec2 describe-instances --filters Name=private-ip-address,Values=${kept['address']}`,
    answer: { Reservations: entries(1) },
  },
  {
    command: () => `ec2 describe-instances --filters Name=tag:Name,Values=a Name=instance-state-name,Values=running`,
    answer: { Reservations: [{ Instances: entries(2) }] },
  },
  {
    command: () => `ec2 describe-instances --filters Name=block-device-mapping.volume-id,Values=${kept['volume']}`,
    answer: { Reservations: [{ Instances: entries(1) }] },
  },
  {
    command: () =>
      `ec2 describe-instances --filters Name=network-interface.network-interface-id,Values=${kept['interface']}`,
    answer: { Reservations: [{ Instances: entries(1) }] },
  },
  { command: () => 'ec2 describe-instances --filters Name=color,Values=red', code: 'InvalidParameterValue' },
  {
    command: () => 'ec2 describe-instances --instance-ids i-0123456789abcdef0',
    code: 'InvalidInstanceID.NotFound',
  },
  { command: () => 'ec2 describe-instances --instance-ids machine', code: 'InvalidInstanceID.Malformed' },
  {
    command: () => `ec2 describe-instances --instance-ids ${kept['a']} --max-results 5`,
    code: 'InvalidParameterCombination',
  },
  { command: () => 'ec2 describe-volumes --max-items 1', answer: { NextToken: present } },
  {
    command: () => `ec2 describe-instance-status --instance-ids ${kept['a']}`,
    answer: {
      InstanceStatuses: [
        { InstanceState: state('running', 16), InstanceStatus: { Status: 'ok' }, SystemStatus: { Status: 'ok' } },
      ],
    },
  },
  {
    command: () => `ec2 describe-instance-attribute --instance-id ${kept['a']} --attribute userData`,
    answer: { UserData: { Value: Buffer.from('hello').toString('base64') } },
  },
  {
    command: () => `ec2 describe-instance-attribute --instance-id ${kept['a']} --attribute disableApiTermination`,
    answer: { DisableApiTermination: { Value: false } },
  },
  { command: () => `ec2 modify-instance-attribute --instance-id ${kept['a']} --disable-api-termination` },
  { command: () => `ec2 terminate-instances --instance-ids ${kept['a']}`, code: 'OperationNotPermitted' },
  { command: () => `ec2 modify-instance-attribute --instance-id ${kept['a']} --no-disable-api-termination` },
  {
    command: () => `ec2 modify-instance-attribute --instance-id ${kept['a']} --instance-type Value=m5.large`,
    code: 'IncorrectInstanceState',
  },
  { command: () => `ec2 reboot-instances --instance-ids ${kept['a']}` },
  {
    command: () => `ec2 stop-instances --instance-ids ${kept['a']}`,
    answer: { StoppingInstances: [{ CurrentState: present, PreviousState: state('running', 16) }] },
  },
  { command: () => `ec2 wait instance-stopped --instance-ids ${kept['a']}` },
  { command: () => `ec2 modify-instance-attribute --instance-id ${kept['a']} --instance-type Value=m5.large` },
  {
    command: () => `ec2 describe-instances --filters Name=instance-state-name,Values=stopped`,
    answer: { Reservations: [{ Instances: [{ InstanceType: 'm5.large', State: state('stopped', 80) }] }] },
  },
  {
    command: () => `ec2 start-instances --instance-ids ${kept['a']}`,
    answer: { StartingInstances: [{ PreviousState: state('stopped', 80) }] },
  },
  {
    command: () =>
      `ec2 create-tags --resources ${kept['a']} ${kept['volume']} ${kept['interface']} --tags Key=k,Value=v`,
  },
  {
    command: () => 'ec2 describe-tags --filters Name=key,Values=k',
    answer: { Tags: entries(3) },
  },
  { command: () => `ec2 delete-tags --resources ${kept['a']} --tags Key=k` },
  { command: () => 'ec2 describe-tags --filters Name=key,Values=k', answer: { Tags: entries(2) } },
  {
    command: () => `ec2 create-tags --resources ${kept['a']} --tags Key=aws:k,Value=v`,
    code: 'InvalidParameterValue',
  },
  {
    command: () => `ec2 describe-volumes --volume-ids ${kept['volume']}`,
    answer: {
      Volumes: [
        {
          State: 'in-use',
          VolumeType: 'gp3',
          Size: 8,
          Iops: 3000,
          Throughput: 125,
          Attachments: [{ State: 'attached', Device: '/dev/xvda', DeleteOnTermination: true }],
        },
      ],
    },
  },
  { command: () => `ec2 wait volume-in-use --volume-ids ${kept['volume']}` },
  { command: () => 'ec2 describe-volumes --volume-ids vol-0123456789abcdef0', code: 'InvalidVolume.NotFound' },
  {
    command: () => 'ec2 describe-volumes --filters Name=tag:disk,Values=b Name=attachment.status,Values=attached',
    answer: { Volumes: entries(2) },
  },
  {
    command: () => `ec2 describe-network-interfaces --filters Name=attachment.instance-id,Values=${kept['b']}`,
    answer: { NetworkInterfaces: [{ Status: 'in-use', InterfaceType: 'interface', RequesterManaged: false }] },
  },
  {
    command: () => 'ec2 describe-network-interfaces --network-interface-ids eni-0123456789abcdef0',
    code: 'InvalidNetworkInterfaceID.NotFound',
  },
  { command: () => 'ec2 describe-addresses', answer: { Addresses: [] } },
  { command: () => 'ec2 run-instances --image-id ami-zzz --count 1', code: 'InvalidAMIID.Malformed' },
  {
    command: () => `ec2 run-instances --image-id ${kept['image']}`,
    answer: { Instances: [{ InstanceType: 'm1.small' }] },
    keep: (answer) => void (kept['c'] = answer.Instances[0].InstanceId),
  },
  {
    command: () => `ec2 run-instances --image-id ${kept['image']} --instance-type z9.tiny`,
    code: 'InvalidParameterValue',
  },
  {
    command: () => `ec2 run-instances --image-id ${kept['image']} --instance-type t3.micro --dry-run`,
    code: 'DryRunOperation',
  },
  { command: () => 'ec2 run-instances --image-id ami-zzz --dry-run', code: 'InvalidAMIID.Malformed' },
  { command: () => 'ec2 stop-instances --instance-ids i-0123456789abcdef0', code: 'InvalidInstanceID.NotFound' },
  {
    command: () =>
      `ec2 run-instances --image-id ${kept['image']} --instance-type t3.micro --secondary-private-ip-address-count 2 --subnet-id ${kept['subnet']} --associate-public-ip-address`,
    answer: { Instances: [{ NetworkInterfaces: [{ PrivateIpAddresses: entries(3) }] }] },
    keep: (answer) => void (kept['d'] = answer.Instances[0].InstanceId),
  },
  {
    command: () => `ec2 describe-instances --instance-ids ${kept['d']}`,
    answer: {
      Reservations: [
        { Instances: [{ PublicIpAddress: present, NetworkInterfaces: [{ Association: { IpOwnerId: 'amazon' } }] }] },
      ],
    },
  },
  {
    command: () => `ec2 terminate-instances --instance-ids ${kept['a']} ${kept['b']} ${kept['c']} ${kept['d']}`,
    answer: { TerminatingInstances: some },
  },
  { command: () => `ec2 wait instance-terminated --instance-ids ${kept['a']} ${kept['b']}` },
  {
    command: () => `ec2 describe-instances --instance-ids ${kept['a']}`,
    answer: {
      Reservations: [
        {
          Instances: [
            {
              State: state('terminated', 48),
              StateReason: { Code: 'Client.UserInitiatedShutdown' },
              StateTransitionReason: like(/^User initiated \(/),
              NetworkInterfaces: [],
            },
          ],
        },
      ],
    },
  },
  { command: () => `ec2 start-instances --instance-ids ${kept['a']}`, code: 'IncorrectInstanceState' },
];
