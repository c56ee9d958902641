import type { AwsError } from './errors.ts';
import { leaf } from './xml/xml.ts';

/** The protocol of one service, chosen by the `Version` parameter of the call. */
export interface Protocol {
  readonly version: string;
  readonly service: 'ec2' | 'sts' | 'autoscaling' | 'ssm' | 'iam' | 'servicequotas' | 'sqs';
  /** Content type of its answers. */
  readonly type: string;
  /** The complete body of an answer around the members that the action returned. */
  success(action: string, inner: string, requestId: string): string;
  /** The complete body of an error. */
  failure(error: AwsError, requestId: string): string;
  /** Headers of an error beside those of every answer. */
  errorHeaders?(error: AwsError): Readonly<Record<string, string>>;
}

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';

const xml = 'text/xml;charset=UTF-8';

const ec2: Protocol = {
  version: '2016-11-15',
  service: 'ec2',
  type: xml,
  success: (action, inner, requestId) =>
    `${head}<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>${requestId}</requestId>${inner}</${action}Response>`,
  failure: (error, requestId) =>
    `${head}<Response><Errors><Error>${leaf('Code', error.code)}${leaf('Message', error.message)}</Error></Errors><RequestID>${requestId}</RequestID></Response>`,
};

const sts = awsQuery('sts', '2011-06-15', 'https://sts.amazonaws.com/doc/2011-06-15/');
const iam = awsQuery('iam', '2010-05-08', 'https://iam.amazonaws.com/doc/2010-05-08/');
const autoscaling = awsQuery('autoscaling', '2011-01-01', 'http://autoscaling.amazonaws.com/doc/2011-01-01/');

/**
 * The query protocol of every service except EC2: members are inside `<ActionResult>`, without which the SDK reads an
 * empty result.
 */
function awsQuery(service: 'sts' | 'autoscaling' | 'iam', version: string, namespace: string): Protocol {
  return {
    version,
    service,
    type: xml,
    success: (action, inner, requestId) =>
      `${head}<${action}Response xmlns="${namespace}"><${action}Result>${inner}</${action}Result><ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></${action}Response>`,
    failure: (error, requestId) =>
      `${head}<ErrorResponse xmlns="${namespace}"><Error><Type>${error.status < 500 ? 'Sender' : 'Receiver'}</Type>${leaf('Code', error.code)}${leaf('Message', error.message)}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`,
  };
}

/** API version of Systems Manager, which selects its JSON protocol here. */
export const ssmVersion = '2014-11-06';

/** JSON 1.1: the members are the body. */
const ssm: Protocol = {
  version: ssmVersion,
  service: 'ssm',
  type: 'application/x-amz-json-1.1',
  success: (_action, inner) => inner,
  failure: (error) =>
    JSON.stringify({ __type: error.code, ...(error.message === '' ? {} : { message: error.message }) }),
};

/** API version of Service Quotas, which selects its JSON protocol here. */
export const serviceQuotasVersion = '2019-06-24';

const serviceQuotas: Protocol = { ...ssm, version: serviceQuotasVersion, service: 'servicequotas' };

/** API version of SQS, which selects its JSON protocol here. */
export const sqsVersion = '2012-11-05';

/** Error codes of SQS as they were in its earlier protocol, which a header still gives, by the present code. */
const queryCodes: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  InvalidBatchEntryId: 'AWS.SimpleQueueService.InvalidBatchEntryId',
  AccessDeniedException: 'AccessDenied',
  ThrottlingException: 'Throttling',
};

/** JSON 1.0, whose errors also carry the code of the earlier query protocol in a header. */
const sqs: Protocol = {
  version: sqsVersion,
  service: 'sqs',
  type: 'application/x-amz-json-1.0',
  success: (_action, inner) => inner,
  failure: (error) =>
    JSON.stringify({
      __type: `${error.status === 403 ? 'com.amazon.coral.service' : 'com.amazonaws.sqs'}#${error.code}`,
      message: error.message,
    }),
  errorHeaders: ({ code, status }) => ({
    'x-amzn-query-error': `${queryCodes[code] ?? code};${status < 500 ? 'Sender' : 'Receiver'}`,
  }),
};

const byVersion = new Map(
  [ec2, sts, autoscaling, ssm, iam, serviceQuotas, sqs].map((protocol) => [protocol.version, protocol]),
);

/** The protocol of a version; for an unknown version that of EC2, to encode the error. */
export function protocolOf(version: string | undefined): Protocol {
  return byVersion.get(version ?? ec2.version) ?? ec2;
}

export function knownVersion(version: string | undefined): boolean {
  return version === undefined || byVersion.has(version);
}
