import type { AutoScalingGroup, DescribeAutoScalingGroupsCommandInput } from '@aws-sdk/client-auto-scaling';
import type { Call } from '../../../core/index.ts';
import { pagesOf, type CloudSession } from '../../cloud/index.ts';

/** The most groups of a page. */
const groupsPerPage = 100;

/** Describes groups by names or filters, page by page. `admitted`: the rate limit has allowed the first call. */
export async function* pagesOfGroups(
  session: CloudSession,
  asked: Pick<DescribeAutoScalingGroupsCommandInput, 'AutoScalingGroupNames' | 'Filters'>,
  call: Call,
  { admitted = false } = {},
): AsyncGenerator<AutoScalingGroup> {
  for await (const page of pagesOf((next) =>
    session.groups.read(
      (sdk) => new sdk.DescribeAutoScalingGroupsCommand({ ...asked, MaxRecords: groupsPerPage, ...next }),
      call,
      { admitted: admitted && next.NextToken === undefined },
    ),
  )) {
    yield* page.AutoScalingGroups ?? [];
  }
}
