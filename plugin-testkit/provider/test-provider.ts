import assert from 'node:assert/strict';
import { checksOf } from '../runner.ts';
import { callChecks } from './checks/call-checks.ts';
import { providerChecks } from './check-list.ts';
import { configurationChecks } from './checks/configuration-checks.ts';
import { faultChecks } from './checks/fault-checks.ts';
import { knowledgeChecks } from './checks/knowledge-checks.ts';
import { launchChecks } from './checks/launch-checks.ts';
import { manifestChecks } from './checks/manifest-checks.ts';
import { noticeChecks } from './checks/notice-checks.ts';
import { observeChecks } from './checks/observe-checks.ts';
import { ownedChecks } from './checks/owned-checks.ts';
import type { ProviderKit, ProviderWorld } from './provider-kit.ts';
import { releaseChecks } from './checks/release-checks.ts';
import { sessionChecks } from './checks/session-checks.ts';
import { subjectOf } from './subject.ts';
import { tokenChecks } from './checks/token-checks.ts';

/**
 * Tests a provider against the contract of `ProviderType` and `ProviderApi`: registers a test for each rule on which
 * the broker relies. The plugin is called as the broker calls it, and everything that the broker stores passes
 * through JSON in between.
 *
 * ```ts
 * testProvider({
 *   test,
 *   plugin,
 *   open: () => startFake(),
 *   close: (fake) => fake.stop(),
 *   living: (fake) => fake.ids(),
 * });
 * ```
 */
export function testProvider<World extends ProviderWorld>(kit: ProviderKit<World>): void {
  const subject = subjectOf(kit);
  if (typeof subject === 'string')
    return checksOf(kit.test, kit.about ?? kit.api ?? 'provider').check(
      'the plugins contribute the API under test',
      async () => assert.fail(subject),
    );
  const checks = providerChecks(subject, checksOf(kit.test, kit.about ?? subject.api.name));
  manifestChecks(checks);
  configurationChecks(checks);
  sessionChecks(checks);
  knowledgeChecks(checks);
  launchChecks(checks);
  tokenChecks(checks);
  observeChecks(checks);
  releaseChecks(checks);
  faultChecks(checks);
  callChecks(checks);
  ownedChecks(checks);
  noticeChecks(checks);
}
