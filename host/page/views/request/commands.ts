import type { RequestStatus } from '../../api/shapes.ts';

/** A word of a POSIX shell. */
const quoted = (word: string): string => (/^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

type Made = Pick<RequestStatus, 'request_id' | 'template_id' | 'requested_count' | 'additional_data' | 'machine_ids'>;

const isReturn = ({ request_id }: Made): boolean => request_id.startsWith('ret-');

/** The command that asks for the same again. */
export function asCommand(request: Made): string {
  if (isReturn(request)) return ['muster machines return', ...(request.machine_ids ?? []).map(quoted)].join(' ');
  const { template_id, requested_count, additional_data } = request;
  const data = additional_data === undefined ? [] : ['--additional-data', quoted(JSON.stringify(additional_data))];
  return ['muster requests create', quoted(template_id ?? ''), String(requested_count), ...data].join(' ');
}

/** The call over REST that asks for the same again, of the broker at `url`. */
export function asCurl(request: Made, url: string): string {
  const { template_id, requested_count, additional_data, machine_ids = [] } = request;
  const [path, body] = isReturn(request)
    ? ['return', { machine_ids }]
    : [
        'request',
        {
          template_id,
          machine_count: requested_count,
          ...(additional_data === undefined ? {} : { additional_data }),
        },
      ];
  return `curl ${url}/api/v1/machines/${path} -H 'content-type: application/json' -d ${quoted(JSON.stringify(body))}`;
}
