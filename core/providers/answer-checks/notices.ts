import { noticeKinds } from '../../contract/notice.ts';
import { machineStatuses } from '../../model/machine.ts';
import { Broken } from './broken.ts';
import { known, object, optionalText, text, time } from './values.ts';

const mostMessages = 200;
const mostNotices = 10_000;
const kinds: ReadonlySet<unknown> = new Set(noticeKinds);
const statuses: ReadonlySet<unknown> = new Set(machineStatuses);

/** Checks the answer of `notices.receive`. */
export function checkNoticeMessages(value: unknown): void {
  if (!Array.isArray(value) || value.length > mostMessages)
    throw new Broken('', value, `a list of at most ${mostMessages} messages`);
  for (const [index, each] of value.entries()) {
    const at = `/${index}`;
    const given = object(each, at, 'a message: receipt and notices');
    text(given['receipt'], at, '/receipt');
    optionalText(given['malformed'], at, 'malformed');
    const { notices } = given;
    if (!Array.isArray(notices) || notices.length > mostNotices)
      throw new Broken(`${at}/notices`, notices, `a list of at most ${mostNotices} notices`);
    notices.forEach((notice, place) => checkNotice(notice, `${at}/notices/${place}`));
  }
}

function checkNotice(value: unknown, path: string): void {
  const given = object(value, path, 'a notice');
  text(given['machine_id'], path, '/machine_id');
  known(given['kind'], kinds, path, '/kind', noticeKinds);
  text(given['at'], path, '/at');
  time(given['at'], path, '/at');
  optionalText(given['message'], path, 'message');
  if (given['kind'] === 'state') known(given['status'], statuses, path, '/status', machineStatuses);
  if (given['kind'] === 'reclaim' || (given['kind'] === 'scheduled' && given['reclaim_at'] !== null)) {
    text(given['reclaim_at'], path, '/reclaim_at');
    time(given['reclaim_at'], path, '/reclaim_at');
  }
}
