import type { InstanceStatus } from '@aws-sdk/client-ec2';

/** The properties of the status of a machine that are used. */
export const statusSummary = ({ InstanceId, InstanceState, Events }: InstanceStatus) =>
  ({
    InstanceId,
    InstanceState: { Name: InstanceState?.Name },
    ...(Events === undefined || Events.length === 0
      ? {}
      : {
          Events: Events.map(({ Code, Description, NotBefore }) => ({ Code, Description, NotBefore })),
        }),
  }) satisfies InstanceStatus;

/** A status as `DescribeInstanceStatus` returns it here: without the other properties. */
export type StatusSummary = Pick<InstanceStatus, 'InstanceId' | 'InstanceState' | 'Events'>;
