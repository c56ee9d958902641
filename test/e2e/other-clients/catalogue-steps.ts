import { entries, kept, like, present, type Step, some } from './steps.ts';

/** What exists before any launch, and the services beside EC2. */
export const catalogueSteps: readonly Step[] = [
  {
    command: () => 'sts get-caller-identity',
    answer: { Account: like(/^\d{12}$/), Arn: like(/^arn:aws:iam::/), UserId: present },
    keep: (answer) => void (kept['account'] = answer.Account),
  },
  {
    command: () => 'sts assume-role --role-arn arn:aws:iam::123456789012:role/one --role-session-name session',
    answer: { Credentials: { AccessKeyId: like(/^ASIA/), SessionToken: present, Expiration: present } },
  },
  { command: () => 'ec2 describe-regions', answer: { Regions: some } },
  { command: () => 'ec2 describe-regions --region-names mars-1', code: 'InvalidParameterValue' },
  {
    command: () => 'ec2 describe-availability-zones --zone-names us-east-1a',
    answer: {
      AvailabilityZones: [{ State: 'available', ZoneType: 'availability-zone', ZoneId: like(/^use1-az\d$/) }],
    },
  },
  {
    command: () => 'ec2 describe-vpcs --filters Name=is-default,Values=true',
    answer: { Vpcs: [{ IsDefault: true, State: 'available', DhcpOptionsId: like(/^dopt-/) }] },
    keep: (answer) => void (kept['vpc'] = answer.Vpcs[0].VpcId),
  },
  {
    command: () => `ec2 describe-vpc-attribute --vpc-id ${kept['vpc']} --attribute enableDnsSupport`,
    answer: { EnableDnsSupport: { Value: true } },
  },
  {
    command: () => 'ec2 describe-vpc-attribute --vpc-id vpc-0123456789abcdef0 --attribute enableDnsSupport',
    code: 'InvalidVpcID.NotFound',
  },
  { command: () => 'ec2 describe-vpc-classic-link', answer: { Vpcs: [{ ClassicLinkEnabled: false }] } },
  {
    command: () => 'ec2 describe-vpc-classic-link-dns-support',
    answer: { Vpcs: [{ ClassicLinkDnsSupported: false }] },
  },
  { command: () => `ec2 wait vpc-available --vpc-ids ${kept['vpc']}` },
  {
    command: () => 'ec2 describe-subnets --filters Name=availability-zone,Values=us-east-1a',
    answer: { Subnets: [{ State: 'available', DefaultForAz: true, SubnetArn: like(/^arn:aws:ec2:us-east-1:/) }] },
    keep: (answer) => void (kept['subnet'] = answer.Subnets[0].SubnetId),
  },
  {
    command: () =>
      `ec2 describe-subnets --filters Name=owner-id,Values=${kept['account']} Name=vpc-id,Values=${kept['vpc']}`,
    answer: { Subnets: some },
  },
  { command: () => `ec2 wait subnet-available --subnet-ids ${kept['subnet']}` },
  {
    command: () => 'ec2 describe-security-groups --filters Name=egress.ip-permission.cidr,Values=0.0.0.0/0',
    answer: { SecurityGroups: some },
  },
  { command: () => 'ec2 describe-security-groups --group-ids group', code: 'InvalidGroupId.Malformed' },
  {
    command: () => 'ec2 describe-images --owners amazon --filters Name=architecture,Values=x86_64',
    answer: { Images: some },
    keep: (answer) => void (kept['image'] = answer.Images[0].ImageId),
  },
  {
    command: () => `ec2 describe-images --image-ids ${kept['image']}`,
    answer: {
      Images: [
        {
          State: 'available',
          RootDeviceType: 'ebs',
          BlockDeviceMappings: [{ Ebs: { SnapshotId: like(/^snap-[0-9a-f]{17}$/) } }],
        },
      ],
    },
  },
  { command: () => `ec2 wait image-available --image-ids ${kept['image']}` },
  { command: () => 'ec2 describe-images --image-ids ami-zzz', code: 'InvalidAMIID.Malformed' },
  { command: () => 'ec2 describe-key-pairs', answer: { KeyPairs: some } },
  {
    command: () => 'ec2 describe-instance-types --instance-types m5.large',
    answer: {
      InstanceTypes: [
        { VCpuInfo: { DefaultVCpus: 2, DefaultCores: 1 }, MemoryInfo: { SizeInMiB: 8192 }, Hypervisor: 'nitro' },
      ],
    },
  },
  { command: () => 'ec2 describe-instance-types --instance-types z9.tiny', code: 'InvalidInstanceType' },
  {
    command: () =>
      'ec2 describe-instance-types --filters Name=vcpu-info.default-vcpus,Values=2 Name=instance-storage-supported,Values=true',
    answer: { InstanceTypes: some },
  },
  {
    command: () =>
      'ec2 describe-instance-type-offerings --location-type availability-zone --filters Name=instance-type,Values=m5.large',
    answer: { InstanceTypeOfferings: some },
  },
  {
    command: () =>
      'ec2 get-instance-types-from-instance-requirements --architecture-types x86_64 --virtualization-types hvm --instance-requirements VCpuCount={Min=2,Max=2},MemoryMiB={Min=4096}',
    answer: { InstanceTypes: some },
  },
  {
    command: () =>
      'ec2 describe-spot-price-history --instance-types m5.large --product-descriptions Linux/UNIX --max-items 2',
    answer: { SpotPriceHistory: entries(2) },
  },
  {
    command: () => 'ssm get-parameter --name /aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64',
    answer: { Parameter: { Type: 'String', DataType: 'aws:ec2:image', Value: like(/^ami-/), Version: 1 } },
  },
  { command: () => 'ssm get-parameter --name /missing', code: 'ParameterNotFound' },
  {
    command: () => 'ssm get-parameters --names /one /missing',
    answer: { Parameters: [{ Name: '/one' }], InvalidParameters: ['/missing'] },
  },
  {
    command: () => 'ssm get-parameters-by-path --path /aws/service/ami-amazon-linux-latest --page-size 3',
    answer: { Parameters: entries(7) },
  },
  { command: () => 'ssm get-parameters-by-path --path none', code: 'ValidationException' },
  {
    command: () => 'iam get-role --role-name fleet',
    answer: { Role: { RoleName: 'fleet', Path: '/', AssumeRolePolicyDocument: { Version: '2012-10-17' } } },
  },
  { command: () => 'iam get-role --role-name missing', code: 'NoSuchEntity' },
];
