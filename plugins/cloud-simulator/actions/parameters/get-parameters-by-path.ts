import type { Action, ActionCall } from '../../dispatch/action.ts';
import { AwsError } from '../../wire/errors.ts';
import { text } from '../../wire/form.ts';
import { ssmVersion } from '../../wire/protocols.ts';
import { flag, integer } from '../../wire/values.ts';
import { parameterOf } from './parameter.ts';

const maxResults = 10;

/** Names under which AWS publishes its images. Other parameters without a value in the knob have no place in lists. */
const published = [
  'al2023-ami-kernel-default-arm64',
  'al2023-ami-kernel-default-x86_64',
  'al2023-ami-minimal-kernel-default-arm64',
  'al2023-ami-minimal-kernel-default-x86_64',
  'amzn2-ami-hvm-x86_64-gp2',
  'amzn2-ami-kernel-5.10-hvm-arm64-gp2',
  'amzn2-ami-kernel-5.10-hvm-x86_64-gp2',
].map((name) => `/aws/service/ami-amazon-linux-latest/${name}`);

/**
 * Systems Manager: lists the parameters below a path: those of the knob `parameters`, and AWS's images unless
 * `strict_ids` is set.
 */
export const getParametersByPath: Action = {
  name: 'GetParametersByPath',
  version: ssmVersion,
  mutating: false,
  handle(call) {
    const path = text(call.params, 'Path') ?? '';
    if (!/^\/([\w.-]+(\/[\w.-]+)*\/?)?$/.test(path))
      throw new AwsError('ValidationException', `The parameter path '${path}' must begin with '/' and name levels.`);
    const size = integer(call.params, 'MaxResults') ?? maxResults;
    if (size < 1 || size > maxResults)
      throw new AwsError('ValidationException', `MaxResults must be between 1 and ${maxResults}, not ${size}.`);
    const names = namesBelow(call, path, flag(call.params, 'Recursive') ?? false);
    const start = readToken(text(call.params, 'NextToken'), path);
    const page = names.slice(start, start + size);
    const more = start + size < names.length;
    return JSON.stringify({
      Parameters: page.flatMap((name) => parameterOf(call, name) ?? []),
      ...(more ? { NextToken: Buffer.from(`${start + size}:${path}`).toString('base64url') } : {}),
    });
  },
};

function namesBelow({ knobs }: ActionCall, path: string, recursive: boolean): string[] {
  const prefix = path.endsWith('/') ? path : `${path}/`;
  const all = new Set([...Object.keys(knobs.parameters), ...(knobs.strict_ids ? [] : published)]);
  const below = [...all].filter((name) => name.startsWith(prefix) && name.length > prefix.length);
  return below.filter((name) => recursive || !name.slice(prefix.length).includes('/')).toSorted();
}

function readToken(token: string | undefined, path: string): number {
  if (token === undefined) return 0;
  const [, start, of] = /^(\d+):(.*)$/.exec(Buffer.from(token, 'base64url').toString()) ?? [];
  if (start === undefined || of !== path) throw new AwsError('InvalidNextToken', 'The specified token is not valid.');
  return Number(start);
}
