import type { NoticeMessage } from '../../contract/notice.ts';
import type { ProviderType } from '../../contract/provider/provider-type.ts';
import { pluginOf } from '../../wiring/contributed-by.ts';
import { assertNoticeMessages, readNoticeMessage } from '../answer-checks/notice-messages.ts';
import type { GuardedCalls, Permit } from './guarded-calls.ts';

/** The notices of one connected instance. Each call rejects only with a ProviderFault, within a bounded time. */
export interface GuardedNotices {
  /**
   * Waits for messages. Empty: none came. A message that violates the contract is malformed; without a receipt it
   * cannot be acknowledged.
   */
  receive(permit: Permit): Promise<readonly NoticeMessage[]>;
  acknowledge(receipts: readonly string[], permit: Permit): Promise<void>;
}

/**
 * The notices of an instance, where its type has them and its configuration names a source. A failure says nothing
 * about the health of the instance, because the source is another service.
 */
export function guardedNotices(
  type: ProviderType<any, any>,
  session: unknown,
  calls: GuardedCalls,
  config: unknown,
): { readonly notices?: GuardedNotices } {
  const { notices } = type;
  if (!notices || notices.configured(config) !== true) return {};
  const { instance } = calls;
  const plugin = pluginOf(type);
  return {
    notices: {
      async receive(permit) {
        const messages = await calls.call(
          { verb: 'receive-notices', what: `reception of notices of '${instance}'`, plugin, waits: true },
          permit,
          async (call) => notices.receive(session, call),
          assertNoticeMessages,
        );
        return messages.map(readNoticeMessage);
      },
      acknowledge: (receipts, permit) =>
        calls.call(
          { verb: 'acknowledge-notices', what: `removal of notices of '${instance}'`, plugin, waits: true },
          permit,
          async (call) => notices.acknowledge(session, receipts, call),
        ),
    },
  };
}
