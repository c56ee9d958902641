import type { Action } from '../../dispatch/action.ts';
import { identityOf } from '../../state/sessions.ts';
import { leaf } from '../../wire/xml/xml.ts';

/** STS: returns the identity and the account of the access key. */
export const getCallerIdentity: Action = {
  name: 'GetCallerIdentity',
  version: '2011-06-15',
  mutating: false,
  handle({ sessions, accessKey, state }) {
    const { account } = state;
    const { arn, userId } = identityOf(sessions, accessKey, state);
    return leaf('Arn', arn) + leaf('UserId', userId) + leaf('Account', account);
  },
};
