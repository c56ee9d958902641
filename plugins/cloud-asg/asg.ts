import { Type } from 'typebox';
import { defineProviderApi } from '../../core/index.ts';
import { poolNamed, poolsOf, poolsOfMachine, type CloudSession, type CloudTemplate } from '../cloud/index.ts';
import { describeGroup } from './observe/describe-groups.ts';
import { disposeGroup } from './dispose-group.ts';
import { groupName, isGroupOf } from './group-name.ts';
import { groupParameters } from './launch/group-parameters.ts';
import { handleOf, type GroupHandle, type Prepared } from './group-handle.ts';
import { launchGroup } from './launch/launch-group.ts';
import { observeGroups } from './observe/observe-groups.ts';
import { releaseGroup } from './release-group.ts';
import { ownedGroups, removeGroups } from './observe/owned-groups.ts';
import { review } from './review.ts';

const fields = Type.Object({});

/**
 * Creates one Auto Scaling group for each order. By default a group retries forever, replaces machines and rebalances
 * zones. muster lets a group do one thing only: grow to the ordered size, until some of its machines are returned.
 */
export const asg = defineProviderApi<CloudSession>()<typeof fields, GroupHandle, Prepared>({
  type: 'cloud',
  name: 'ASG',
  aliases: ['AutoScalingGroup'],
  fields,
  capabilities: {
    supports_spot: true,
    supports_on_demand: true,
    max_instances: 10_000,
    supported_fleet_types: [],
    machines_per_launch: 1_000,
    offers_per_launch: 'many',
    visible_within_ms: 300_000,
    // CreateAutoScalingGroup takes no token. The name of the group prevents a second group for as long as the group
    // exists, which is until it is disposed of.
    token_valid_ms: 30 * 86_400_000,
  },

  prepare: groupParameters,
  launch: launchGroup,
  observe: observeGroups,
  release: releaseGroup,
  dispose: disposeGroup,
  async find(session, order, call) {
    // An order that was not prepared was not sent.
    if (!order.prepared) return undefined;
    const group = await describeGroup(session, groupName(session, order), call);
    return group && isGroupOf(session, order, group) ? handleOf(order.prepared) : undefined;
  },

  owned: ownedGroups,
  remove: removeGroups,

  review,
  offers: (template) => poolsOf(template as unknown as CloudTemplate),
  offersOfMachine: poolsOfMachine,
  offerNamed: poolNamed,
});
