import type { ProviderCheck } from '../../../core/index.ts';
import type { CloudSession } from '../connection/session.ts';
import { error, ok, warning } from './results.ts';

const hourMs = 3_600_000;
const soonMs = 300_000;

/** Whether AWS accepts the credentials, and until when. */
export const credentialsCheck: ProviderCheck<CloudSession> = {
  name: 'credentials',
  why: 'Without valid credentials AWS refuses every call, and the instance is unhealthy.',
  remedy: 'Log in again (`aws sso login`, `aws configure`), or give the instance credentials that renew themselves.',
  async run(session, _templates, call) {
    const account = await session.account(call);
    const { credentials } = session.state();
    const source = credentials ? ` by ${credentials.source}` : '';
    const expires_at = credentials?.expires_at ?? null;
    if (expires_at === null || credentials?.renewed) return [ok(`AWS accepts them${source}: account ${account}.`)];
    const left = Date.parse(expires_at) - session.clock.now();
    const end = `The credentials${source} end at ${expires_at}, and nothing renews them.`;
    if (left < soonMs) return [error(end)];
    return [left < hourMs ? warning(end) : ok(`${end} Account ${account}.`)];
  },
};
