import type { ProviderCheck } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { ok, warning } from './results.ts';

/** The difference from which AWS refuses signatures. */
const refusedMs = 300_000;

/** Whether the clock of this host agrees with that of AWS. */
export const clockCheck: ProviderCheck<CloudSession> = {
  name: 'clock',
  why: 'AWS refuses signatures that are more than five minutes off, and muster has to correct for it.',
  remedy: 'Keep the time of this host with NTP: timedatectl set-ntp true.',
  async run(session, _templates, call) {
    await session.read((ec2) => new ec2.DescribeAvailabilityZonesCommand({}), call);
    const ms = session.cloudClock.now() - session.clock.now();
    if (ms === 0) return [ok('The clock of this host agrees with that of AWS within a minute.')];
    const behind = `The clock of this host is ${Math.round(Math.abs(ms) / 1000)} s ${ms > 0 ? 'behind' : 'ahead of'} that of AWS.`;
    return [warning(Math.abs(ms) < refusedMs ? behind : `${behind} AWS refuses the first call of each client.`)];
  },
};
