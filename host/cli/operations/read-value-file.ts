import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SourceText } from '../../../config/sources/source-text.ts';
import { BrokerError } from '../../../core/contract/errors.ts';

/**
 * Reads JSON or YAML from a file; `-` is standard input. Throws FILE_NOT_FOUND, INVALID_REQUEST when the file cannot
 * be read, or PARSE_ERROR with line and column.
 */
export async function readValueFile(name: string): Promise<SourceText> {
  const text = name === '-' ? readFileSync(0, 'utf8') : read(resolve(name));
  const { readText } = await import('../../../config/sources/source-text.ts');
  return readText(name === '-' ? 'standard input' : resolve(name), text);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR')
      throw new BrokerError('FILE_NOT_FOUND', `The file ${file} does not exist.`, { file }, { cause });
    const reason = code === 'EISDIR' ? 'it is a directory' : code === 'EACCES' ? 'permission denied' : String(cause);
    throw new BrokerError('INVALID_REQUEST', `The file ${file} cannot be read: ${reason}.`, { file }, { cause });
  }
}
