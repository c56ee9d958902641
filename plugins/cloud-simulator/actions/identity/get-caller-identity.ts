import type { Action } from '../../action.ts';
import { leaf } from '../../wire/xml.ts';

/** STS: tells the account behind the access key. */
export const getCallerIdentity: Action = {
  name: 'GetCallerIdentity',
  version: '2011-06-15',
  mutating: false,
  handle: (call) =>
    leaf('Arn', `arn:aws:iam::${call.state.account}:user/simulated`) +
    leaf('UserId', `AIDA${call.state.account}SIMULATED`) +
    leaf('Account', call.state.account),
};
