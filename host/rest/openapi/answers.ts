import { codes, type Code } from '../../../core/contract/errors.ts';
import { limitWindow } from '../limits/rate-limits.ts';
import type { ErrorForm } from '../routes/path-table.ts';
import type { Json } from '../../schema/public-schema.ts';

const header = (description: string, type: string, example: unknown): Json => ({
  description,
  schema: { type },
  example,
});

/** The headers that operations reference. */
export const headers: Json = {
  'X-Request-Id': header(
    'The X-Request-Id of the call, or a generated id; every log line of the call contains it.',
    'string',
    'call-7',
  ),
  'X-Observed-At': {
    ...header('When the provider last reported on all machines of the request.', 'string', '2026-01-15T09:30:40.000Z'),
    schema: { type: 'string', format: 'date-time' },
  },
  'X-RateLimit-Limit': header('Number of calls of this group that one client may make in a window.', 'integer', 200),
  'X-RateLimit-Remaining': header('Number of calls left in this window.', 'integer', 199),
  'X-RateLimit-Reset': header('When the next window starts, in epoch seconds.', 'integer', 1_768_469_460),
  'X-RateLimit-Window': header('Length of the window in seconds.', 'integer', limitWindow),
  'Retry-After': header('Seconds to wait before the next attempt.', 'integer', 12),
};

const limitHeaders = Object.keys(headers).filter((name) => name.startsWith('X-RateLimit-'));

export interface AnswerOf {
  readonly form: ErrorForm;
  readonly limited: boolean;
}

const retryAfter = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };

/** Returns references to the headers of an answer. */
export function headersOf({ limited }: Pick<AnswerOf, 'limited'>, ...more: readonly string[]): Json {
  const names = ['X-Request-Id', ...(limited ? limitHeaders : []), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const jsonAnswer = (description: string, schema: Json, example: unknown): Json => ({
  description,
  content: { 'application/json': { schema, example } },
});

/**
 * Returns the error answers of a route by status, each with its codes and their meaning. The success answer documents
 * the headers that every answer has.
 */
export function refusalsOf(refusals: readonly Code[], { form, limited }: AnswerOf): Json {
  const byStatus = Map.groupBy(new Set(refusals), (code) => codes[code].status);
  const answers = [...byStatus].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(
    answers.map(([status, found]) => {
      const description = found.map((code) => `- \`${code}\`: ${codes[code].meaning}`).join('\n');
      const more =
        status === 429
          ? { headers: headersOf({ limited }, 'Retry-After') }
          : status === 503
            ? { headers: retryAfter }
            : {};
      return [
        String(status),
        { ...jsonAnswer(description, { $ref: schemas[form] }, exampleOf(found[0] as Code, form)), ...more },
      ];
    }),
  );
}

const schemas: Readonly<Record<ErrorForm, string>> = {
  detail: '#/components/schemas/Detail',
  error: '#/components/schemas/Error',
};

function exampleOf(code: Code, form: ErrorForm): unknown {
  const message = codes[code].meaning;
  if (form === 'detail') return { detail: message, code };
  return { error: { code, message, details: {}, timestamp: '2026-01-15T09:30:00.000Z', request_id: 'call-7' } };
}
