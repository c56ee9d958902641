/** Settings of the simulated cloud: an account with a second VPC, of whose subnets one has no free address. */
export const twoVpcs = {
  vpcs: [
    {
      vpc_id: 'vpc-lab',
      name: 'lab',
      cidr: '10.9.0.0/16',
      subnets: [
        { subnet_id: 'subnet-b', zone: 'us-east-1b', cidr: '10.9.1.0/24' },
        { subnet_id: 'subnet-a', zone: 'us-east-1a', cidr: '10.9.0.0/24', name: 'lab a' },
      ],
      security_groups: [{ group_id: 'sg-lab', group_name: 'workers' }],
    },
  ],
  key_pairs: ['ops', 'night'],
  addresses: [{ subnet_id: 'subnet-b', count: 0 }],
};
