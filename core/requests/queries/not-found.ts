import { BrokerError } from '../../contract/errors.ts';

export const requestNotFound = (request_id: string): BrokerError =>
  new BrokerError('REQUEST_NOT_FOUND', `No request has the id '${request_id}'.`, { request_id });
