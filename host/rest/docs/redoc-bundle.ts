import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { BrokerError } from '../../../core/contract/errors.ts';

/** Where the page's foot would fetch a picture from another origin. An address that holds nothing shows nothing. */
const remotePicture = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** The script of Redoc. A built package has it beside this file, see `scripts/copy-assets.ts`; the sources have it as a development dependency. */
export function redocBundle(): Buffer {
  const script = beside() ?? installed();
  if (script === undefined)
    throw new BrokerError('NOT_FOUND', 'This installation lacks the script of Redoc; /docs shows the same. npm run build brings it.');
  return Buffer.from(script.replaceAll(remotePicture, 'data:,'));
}

function beside(): string | undefined {
  return text(new URL('./redoc.standalone.js', import.meta.url));
}

function installed(): string | undefined {
  try {
    return text(createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js'));
  } catch {
    return undefined;
  }
}

function text(file: URL | string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
